import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen, type Listening } from '../../support/listen.ts'
import { Random } from '../../support/random.ts'

/** How a bucket is treated from now on. */
export interface Treatment {
  readonly bucket: string
  readonly seed: number
  /** Share of its requests that meet a fault, 0 to 1. */
  readonly errorRate: number
  /** Milliseconds from the treatment's arrival in which writes get no answer; then their connections are cut. */
  readonly hangMs?: number
  /** Requests that are refused with 403, as a policy does it. */
  readonly denies?: 'writes' | 'deletions'
  /** Another error rate for this many requests. A count, no duration: a slow machine may send none in that time. */
  readonly storm?: { readonly requests: number; readonly errorRate: number }
}

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

/** What becomes of one request on its way to the object store. */
type RequestFault =
  | { readonly kind: 'pass'; readonly delayMs: number }
  /** The line breaks: before the store heard of it, when it was done, or in the middle of the answer. */
  | { readonly kind: 'cut'; readonly at: 'before' | 'after' | 'middle' }
  /** An error of the store, instead of doing what was asked for, or although it was done. */
  | { readonly kind: 'refuse'; readonly at: 'before' | 'after'; readonly error: S3ErrorName }

const S3_ERRORS = { AccessDenied: 403, InternalError: 500, SlowDown: 503 } as const
type S3ErrorName = keyof typeof S3_ERRORS

const MAX_DELAY_MS = 300

function requestFaultOf(random: Random, errorRate: number): RequestFault {
  if (random.next() >= errorRate) return { kind: 'pass', delayMs: 0 }
  return random.pick<() => RequestFault>([
    () => ({ kind: 'pass', delayMs: random.below(MAX_DELAY_MS) }),
    () => ({ kind: 'cut', at: random.pick(['before', 'after', 'middle'] as const) }),
    () => ({
      kind: 'refuse',
      at: random.pick(['before', 'after'] as const),
      error: random.pick(['InternalError', 'SlowDown'] as const),
    }),
  ])()
}

/** The same for the same request of the same run, whatever else arrives in between. */
const seedOf = (seed: number, request: string, times: number): number =>
  seed ^ createHash('sha256').update(request).digest().readUInt32BE(0) ^ (times * 7919)

const HANG_POLL_MS = 50

/**
 * Fault-injecting proxy between the workers and the object store: it forwards requests, except for the faults that the
 * seed of a run draws. The bucket identifies the run. A request that arrived whole is forwarded even if its sender was
 * killed meanwhile, as in a network.
 */
export class S3Proxy implements AsyncDisposable {
  readonly #store: URL
  readonly #agent = new Agent({ keepAlive: true })
  readonly #runs = new Map<string, Run>()
  readonly #server = createServer((request, response) => {
    // A killed worker breaks its connection in the middle of a request.
    this.#handle(request, response).catch(() => request.socket.destroy())
  })
  #listening: Listening | null = null

  private constructor(store: string) {
    this.#store = new URL(store)
  }

  static async start(store: string): Promise<S3Proxy> {
    const proxy = new S3Proxy(store)
    proxy.#listening = await listen(proxy.#server)
    return proxy
  }

  get endpoint(): string {
    return this.#listening?.url ?? ''
  }

  treat(treatment: Treatment): void {
    const times = this.#runs.get(treatment.bucket)?.times ?? new Map<string, number>()
    const hangsUntil = performance.now() + (treatment.hangMs ?? 0)
    this.#runs.set(treatment.bucket, { treatment, times, stormy: treatment.storm?.requests ?? 0, hangsUntil })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listening?.[Symbol.asyncDispose]()
    this.#agent.destroy()
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    if (isDenied(request, this.#runOf(request))) return refuse(response, 'AccessDenied')
    const hangsMs = request.method === 'GET' || request.method === 'HEAD' ? 0 : this.#hangsFor(request)
    if (hangsMs > 0) {
      // A later treatment may end the hang early.
      while (this.#hangsFor(request) > 0) await sleep(Math.min(this.#hangsFor(request), HANG_POLL_MS))
      return void request.socket.resetAndDestroy()
    }
    const fault = this.#drawn(request)
    if (fault.kind === 'pass') await sleep(fault.delayMs)
    if (fault.kind === 'cut' && fault.at === 'before') return void request.socket.resetAndDestroy()
    if (fault.kind === 'refuse' && fault.at === 'before') return refuse(response, fault.error)
    const answer = await this.#passOn(request, body)
    if (fault.kind === 'refuse') return refuse(response, fault.error)
    if (fault.kind === 'cut' && fault.at === 'after') return void request.socket.resetAndDestroy()
    response.writeHead(answer.status, [...answer.headers])
    if (fault.kind === 'pass') return void response.end(answer.body)
    response.write(answer.body.subarray(0, answer.body.length >> 1), () => request.socket.resetAndDestroy())
    response.flushHeaders()
  }

  #runOf({ url = '' }: IncomingMessage): Run | undefined {
    return this.#runs.get(decodeURIComponent(url.split(/[/?]/)[1] ?? ''))
  }

  /** Milliseconds. */
  #hangsFor(request: IncomingMessage): number {
    return (this.#runOf(request)?.hangsUntil ?? 0) - performance.now()
  }

  #drawn(request: IncomingMessage): RequestFault {
    const { method, url = '' } = request
    const run = this.#runOf(request)
    if (run === undefined) return { kind: 'pass', delayMs: 0 }
    const name = `${method} ${url}`
    const times = (run.times.get(name) ?? 0) + 1
    run.times.set(name, times)
    const { seed, errorRate, storm } = run.treatment
    run.stormy -= 1
    return requestFaultOf(new Random(seedOf(seed, name, times)), run.stormy >= 0 ? (storm?.errorRate ?? 0) : errorRate)
  }

  /** Forwards all headers unchanged: `host` is part of the signature. */
  async #passOn({ method = '', url = '', rawHeaders }: IncomingMessage, body: Buffer): Promise<Answer> {
    const { hostname, port } = this.#store
    const request = sendRequest({
      hostname,
      port,
      path: url,
      method,
      agent: this.#agent,
      headers: [...rawHeaders],
      setHost: false,
    })
    request.end(body)
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    const bytes = await buffer(answer)
    const headers = without(answer.rawHeaders, ['connection', 'keep-alive', 'transfer-encoding'])
    const length = answer.headers['transfer-encoding'] === undefined ? [] : ['content-length', String(bytes.length)]
    return { status: answer.statusCode ?? 502, headers: [...headers, ...length], body: bytes }
  }
}

/** Several objects are deleted by one POST. */
function isDenied({ method = '', url = '' }: IncomingMessage, run: Run | undefined): boolean {
  const denies = run?.treatment.denies
  const deletes = method === 'DELETE' || (method === 'POST' && /[?&]delete\b/.test(url))
  return denies === 'deletions' ? deletes : denies === 'writes' && (method === 'PUT' || method === 'POST' || deletes)
}

function refuse(response: ServerResponse, code: keyof typeof S3_ERRORS): void {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message></Message></Error>`
  response.writeHead(S3_ERRORS[code], { 'content-type': 'application/xml', 'content-length': body.length }).end(body)
}

/** Raw headers are names and values in turn. */
const without = (raw: readonly string[], names: readonly string[]): string[] =>
  raw.filter((_, at) => !names.includes((raw[at - (at % 2)] ?? '').toLowerCase()))
