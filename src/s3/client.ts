import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { S3Client } from '@aws-sdk/client-s3'

export interface S3ClientOptions {
  /** Endpoint of an S3-compatible store; default: AWS. */
  readonly endpoint?: string
  /** Default `us-east-1` with an `endpoint`; else the region that the SDK finds. */
  readonly region?: string
  /** Without keys the SDK uses its default chain: environment, shared files, the machine's role. */
  readonly accessKeyId?: string
  readonly secretAccessKey?: string
  readonly network?: S3Network
}

export interface S3Network {
  /** `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in the format of Node's own agent. */
  readonly proxyEnv?: Readonly<Record<string, string>>
  /** PEM: own certificate authorities, and the client's certificate and key. */
  readonly tls?: { readonly ca?: string[]; readonly cert?: string; readonly key?: string }
  readonly timeouts?: Partial<S3Timeouts>
}

/** All in milliseconds. The SDK has no timeout by default, and a hanging store would block every stop. */
export interface S3Timeouts {
  readonly connectMs: number
  /** From the first byte sent to the header of the answer; it includes the upload of a part of 16 MiB. */
  readonly requestMs: number
  /** Timeout of an idle connection. */
  readonly idleMs: number
}

const TIMEOUTS: S3Timeouts = { connectMs: 10_000, requestMs: 120_000, idleMs: 60_000 }

/** Default of the SDK's own agents. */
const CONNECTIONS = 50

/** Builds the request handler of every AWS client: timeouts, proxies and certificates. */
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

/** Creates a client for AWS or for any S3-compatible store. The caller destroys it. */
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
    // Most stores other than AWS refuse checksums in a trailer (radosgw: 411 MissingContentLength).
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
}
