import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { S3Client } from '@aws-sdk/client-s3'

export interface S3ClientOptions {
  /** Base address of an S3-compatible store; AWS itself when not given. */
  readonly endpoint?: string
  /** Default `us-east-1` with an `endpoint`; else what the SDK finds. */
  readonly region?: string
  /** Without keys the SDK reads them where it always does: environment, shared files, the machine's role. */
  readonly accessKeyId?: string
  readonly secretAccessKey?: string
  readonly network?: S3Network
}

export interface S3Network {
  /** `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, as Node's own agent takes them. */
  readonly proxyEnv?: Readonly<Record<string, string>>
  /** PEM: own authorities, and the certificate and key that this client shows. */
  readonly tls?: { readonly ca?: string[]; readonly cert?: string; readonly key?: string }
  readonly timeouts?: Partial<S3Timeouts>
}

/** All in milliseconds. The SDK waits for ever by default, and a store that hangs would hold up every stop. */
export interface S3Timeouts {
  readonly connectMs: number
  /** From the first byte sent to the head of the answer; a part of 16 MiB has to go up in it. */
  readonly requestMs: number
  /** Without a byte on the connection. */
  readonly idleMs: number
}

const TIMEOUTS: S3Timeouts = { connectMs: 10_000, requestMs: 120_000, idleMs: 60_000 }

/** What the SDK's own agents have. */
const CONNECTIONS = 50

/** For every client of AWS, whatever it asks: time limits, proxies and certificates. */
export function requestHandlerOf({ proxyEnv, tls = {}, timeouts }: S3Network) {
  const { connectMs, requestMs, idleMs } = { ...TIMEOUTS, ...timeouts }
  const agent = { keepAlive: true, maxSockets: CONNECTIONS, ...(proxyEnv === undefined ? {} : { proxyEnv }) }
  return {
    connectionTimeout: connectMs,
    requestTimeout: requestMs,
    throwOnRequestTimeout: true,
    socketTimeout: idleMs,
    httpAgent: new HttpAgent(agent),
    httpsAgent: new HttpsAgent({ ...agent, ...tls }),
  }
}

/** A client for AWS or for any S3-compatible store. The caller destroys it. */
export function openS3Client(options: S3ClientOptions): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey, network = {} } = options
  const named = endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region: region ?? 'us-east-1' }
  return new S3Client({
    ...(region === undefined ? {} : { region }),
    ...named,
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : { credentials: { accessKeyId, secretAccessKey } }),
    requestHandler: requestHandlerOf(network),
    // Checksums sent as a trailer are refused by most stores that are not AWS (radosgw: 411 MissingContentLength).
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
}
