import type { FailureCode } from '#src/document/failure.ts'
import type { Verdict } from '#src/document/verdict.ts'
import { AnswerTooLong, NoAnswer, RequestTimeout } from './exchange.ts'

const TRUST_HINT = 'Name its authority in NODE_EXTRA_CA_CERTS'

/** Plain descriptions of the error codes of sockets, DNS, TLS and the HTTP parser. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ENOTFOUND: 'its name cannot be found',
  EAI_AGAIN: 'its name cannot be looked up now',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ETIMEDOUT: 'it does not respond',
  UND_ERR_CONNECT_TIMEOUT: 'it does not respond',
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is self-signed. ${TRUST_HINT}`,
  SELF_SIGNED_CERT_IN_CHAIN: `its certificate is signed by an authority that this machine does not know. ${TRUST_HINT}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `its certificate is signed by an authority that this machine does not know. ${TRUST_HINT}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `its certificate is signed by an authority that this machine does not know. ${TRUST_HINT}`,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; the clock of this machine may be wrong',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there: the address may have to start with http://',
  HPE_INVALID_CONSTANT: 'the server there does not speak HTTP: the address may have to start with https://',
}

/** Verdict on a request without a complete or decodable answer. */
export function verdictOnFailure(thrown: Error, service: string): Verdict {
  const [error, inDoubt] = thrown instanceof NoAnswer ? [thrown.cause, thrown.sent] : [thrown, true]
  if (error instanceof AnswerTooLong) {
    const message = `The answer of ${service} is too long: ${error.message}.`
    return {
      kind: 'rejected',
      failure: { code: 'bad_answer', stage: 'parse', message, repeats: true },
      remedy: { kind: 'none' },
    }
  }
  return {
    kind: 'unavailable',
    code: codeOf(error),
    message: `No answer from ${service}: ${reasonOf(error)}.`,
    serviceCode: null,
    httpStatus: null,
    retryAfterMs: null,
    remedy: { kind: 'none' },
    inDoubt,
    countsAgainstService: true,
  }
}

function codeOf(error: Error): FailureCode {
  return error instanceof RequestTimeout ? 'timeout' : 'service_unavailable'
}

function reasonOf(error: Error): string {
  if (error instanceof RequestTimeout) return error.message
  const refusal = /^Proxy response \((\d+)\)/.exec(error.message)
  if (refusal !== null) return `the proxy answered ${refusal[1]}: check HTTPS_PROXY, its login, or set NO_PROXY`
  const { code } = error as NodeJS.ErrnoException
  return DESCRIPTIONS[code ?? ''] ?? (code === undefined ? error.message : `${error.message} (${code})`)
}
