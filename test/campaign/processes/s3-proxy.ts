import { Agent, createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../support/random.ts'
import { type RequestFault, requestFaultOf, S3_ERRORS, seedOf } from '../world/s3-request-faults.ts'
import type { Treatment } from '../world/s3-proxy.ts'

/*
 * Fault-injecting proxy between the workers and the object store: it forwards requests, except for the faults that the
 * seed of a run draws. The bucket identifies the run. A request that arrived whole is forwarded even if its sender was
 * killed meanwhile, as in a network.
 */

interface Run {
  readonly treatment: Treatment
  stormy: number
  /** `performance.now()` until which writes hang. */
  readonly hangsUntil: number
  readonly times: Map<string, number>
}

interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: Buffer
}

const HANG_POLL_MS = 50

const store = new URL(process.argv[2] ?? '')
const agent = new Agent({ keepAlive: true })
const runs = new Map<string, Run>()

process.on('message', (treatment: Treatment) => {
  const times = runs.get(treatment.bucket)?.times ?? new Map<string, number>()
  const hangsUntil = performance.now() + (treatment.hangMs ?? 0)
  runs.set(treatment.bucket, { treatment, times, stormy: treatment.storm?.requests ?? 0, hangsUntil })
})
process.on('disconnect', () => process.exit(0))

const server = createServer((request, response) => {
  // A killed worker breaks its connection in the middle of a request.
  handle(request, response).catch(() => request.socket.destroy())
})
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request)
  if (isDenied(request)) return refuse(response, 'AccessDenied')
  const hangsMs = request.method === 'GET' || request.method === 'HEAD' ? 0 : hangsFor(request)
  if (hangsMs > 0) {
    // A later treatment may end the hang early.
    while (hangsFor(request) > 0) await sleep(Math.min(hangsFor(request), HANG_POLL_MS))
    return void request.socket.resetAndDestroy()
  }
  const requestFault = drawn(request)
  if (requestFault.kind === 'pass') await sleep(requestFault.delayMs)
  if (requestFault.kind === 'cut' && requestFault.at === 'before') return void request.socket.resetAndDestroy()
  if (requestFault.kind === 'refuse' && requestFault.at === 'before') return refuse(response, requestFault.error)
  const answer = await passOn(request, body)
  if (requestFault.kind === 'refuse') return refuse(response, requestFault.error)
  if (requestFault.kind === 'cut' && requestFault.at === 'after') return void request.socket.resetAndDestroy()
  response.writeHead(answer.status, [...answer.headers])
  if (requestFault.kind === 'pass') return void response.end(answer.body)
  response.write(answer.body.subarray(0, answer.body.length >> 1), () => request.socket.resetAndDestroy())
  response.flushHeaders()
}

const runOf = ({ url = '' }: IncomingMessage): Run | undefined =>
  runs.get(decodeURIComponent(url.split(/[/?]/)[1] ?? ''))

/** Several objects are deleted by one POST. */
function isDenied(request: IncomingMessage): boolean {
  const { method = '', url = '' } = request
  const denies = runOf(request)?.treatment.denies
  const deletes = method === 'DELETE' || (method === 'POST' && /[?&]delete\b/.test(url))
  return denies === 'deletions' ? deletes : denies === 'writes' && (method === 'PUT' || method === 'POST' || deletes)
}

const hangsFor = (request: IncomingMessage): number => (runOf(request)?.hangsUntil ?? 0) - performance.now()

function drawn(request: IncomingMessage): RequestFault {
  const { method, url = '' } = request
  const run = runOf(request)
  if (run === undefined) return { kind: 'pass', delayMs: 0 }
  const name = `${method} ${url}`
  const times = (run.times.get(name) ?? 0) + 1
  run.times.set(name, times)
  const { seed, errorRate, storm } = run.treatment
  run.stormy -= 1
  return requestFaultOf(new Random(seedOf(seed, name, times)), run.stormy >= 0 ? (storm?.errorRate ?? 0) : errorRate)
}

function refuse(response: ServerResponse, code: keyof typeof S3_ERRORS): void {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message></Message></Error>`
  response.writeHead(S3_ERRORS[code], { 'content-type': 'application/xml', 'content-length': body.length }).end(body)
}

/** Forwards all headers unchanged: `host` is part of the signature. */
async function passOn({ method = '', url = '', rawHeaders }: IncomingMessage, body: Buffer): Promise<Answer> {
  const { hostname, port } = store
  const request = sendRequest({ hostname, port, path: url, method, agent, headers: [...rawHeaders], setHost: false })
  request.end(body)
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const bytes = await buffer(answer)
  const headers = without(answer.rawHeaders, ['connection', 'keep-alive', 'transfer-encoding'])
  const length = answer.headers['transfer-encoding'] === undefined ? [] : ['content-length', String(bytes.length)]
  return { status: answer.statusCode ?? 502, headers: [...headers, ...length], body: bytes }
}

/** Raw headers are names and values in turn. */
const without = (raw: readonly string[], names: readonly string[]): string[] =>
  raw.filter((_, at) => !names.includes((raw[at - (at % 2)] ?? '').toLowerCase()))
