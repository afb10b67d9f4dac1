import type { Events, Receiver, SluiceEvents } from '#src/events.ts'
import type { GateState } from '@sluice/limiter'
import { withTimeout } from '#src/observe/with-timeout.ts'
import type { Requests } from './open-requests.ts'

/**
 * Connects a pipeline with its service until disposal. The embedded engine learns of answers. The pipeline learns of a
 * halt of the engine, and of a service that never answers. Refusals trigger a reading of the concurrency limit. An
 * outage ends if other processes saw its end.
 */
export function followService(
  { service, limitWatch, gate }: Requests,
  shared: Events,
  pipeline: Events,
  patienceMs: number,
): Disposable {
  const following = new DisposableStack()
  following.use(followEngine({ service }, 'parser', shared, pipeline))
  limitWatch?.follow(pipeline)
  following.use(watchRecovery(pipeline, gate.limiter))
  following.use(haltWithoutAnswer(pipeline, service.name, patienceMs))
  return following
}

/** The part for the embedded engine, also next to a service: then `receiver` is `engine`. */
export function followEngine(
  { service }: Pick<Requests, 'service'>,
  receiver: Receiver['to'],
  shared: Events,
  pipeline: Events,
): Disposable {
  const answered = ({ verdict, to }: SluiceEvents['request:answered'][0]): void => {
    if (verdict !== 'unavailable' && to === receiver) service.recordAnswer()
  }
  const halted = (halt: SluiceEvents['run:halted'][0]): unknown => pipeline.emit('run:halted', halt)
  pipeline.on('request:answered', answered)
  if (service.free) shared.on('run:halted', halted)
  return {
    [Symbol.dispose]: () => {
      pipeline.off('request:answered', answered)
      shared.off('run:halted', halted)
    },
  }
}

/**
 * Halts a batch whose service gave no answer for `patienceMs` after the first request. Its address, the network, a
 * proxy or a certificate is wrong, and waiting repairs none of them. Any answer, even a refusal, ends the watch: a
 * service that worked once may recover. While the embedded engine answers next to the service, the run continues: the
 * timeout counts from its last answer.
 */
export function haltWithoutAnswer(events: Events, service: string, patienceMs: number): Disposable {
  let timer: NodeJS.Timeout | null = null
  let cause = 'the requests are still waiting for their answers.'
  const begun = ({ to }: SluiceEvents['request:begun'][0]): void => {
    if (to === 'engine') return
    timer ??= setTimeout(() => {
      stop()
      const message =
        `the service ${service} has not answered for ${described(patienceMs)}: ${cause} ` +
        'Check its address, the network, the proxy and the certificate, then run again: every waiting document is kept'
      events.emit('run:halted', { cause: 'service', message })
    }, patienceMs).unref()
  }
  const failed = (failure: SluiceEvents['dependency:failed'][0]): void => {
    if (failure.dependency === 'service') cause = failure.cause
  }
  const works = ({ dependency }: SluiceEvents['dependency:works'][0]): void => {
    if (dependency === 'service') stop()
    if (dependency === 'engine') timer?.refresh()
  }
  const stop = (): void => {
    clearTimeout(timer ?? undefined)
    events.off('request:begun', begun)
    events.off('dependency:failed', failed)
    events.off('dependency:works', works)
  }
  events.on('request:begun', begun)
  events.on('dependency:failed', failed)
  events.on('dependency:works', works)
  return { [Symbol.dispose]: stop }
}

const described = (ms: number): string => (ms < 120_000 ? `${ms / 1000} s` : `${Math.round(ms / 60_000)} min`)

interface RecoveryTiming {
  readonly everyMs: number
  /** The service counts as recovered after the gate admits requests for this long without a failure here. */
  readonly calmMs: number
}

const TIMING: RecoveryTiming = { everyMs: 1_000, calmMs: 5_000 }

/** Timeout of Redis for the state of the gate. */
const ANSWER_MS = 500

/**
 * Reports the recovery of the service to a process that saw the outage start but not end: another process retried its
 * document, and it sends nothing more itself. It reads the limiter, which all processes share: an outage closes it, and
 * a successful probe of any process opens it.
 *
 * States: `idle`; `suspect` from a failure on, while the process polls the limiter. A success of this process leads back
 * to `idle`. So does a limiter that stays open for `calmMs` while this process has no document in flight; then the
 * process emits `service:recovered`.
 */
export function watchRecovery(
  events: Events,
  gate: { readonly snapshot: () => Promise<Pick<GateState, 'shut'>> },
  {
    everyMs = TIMING.everyMs,
    calmMs = TIMING.calmMs,
    service,
  }: Partial<RecoveryTiming> & Pick<Receiver, 'service'> = {},
): Disposable {
  let timer: NodeJS.Timeout | null = null
  let calmSince = 0
  let inFlight = 0
  const stop = (): void => {
    clearInterval(timer ?? undefined)
    timer = null
  }
  const poll = async (): Promise<void> => {
    const state = await withTimeout(gate.snapshot(), ANSWER_MS)
    if (timer === null) return
    if (state === null || state.shut !== null || inFlight > 0) calmSince = performance.now()
    if (performance.now() - calmSince < calmMs) return
    stop()
    events.emit('service:recovered', { service })
  }
  const failed = ({ dependency, service: of }: SluiceEvents['dependency:failed'][0]): void => {
    if (dependency !== 'service' || of !== service) return
    calmSince = performance.now()
    timer ??= setInterval(() => void poll(), everyMs).unref()
  }
  const works = ({ dependency, service: of }: SluiceEvents['dependency:works'][0]): void => {
    if (dependency === 'service' && of === service) stop()
  }
  const started = (): unknown => (inFlight += 1)
  const released = (): unknown => (inFlight -= 1)
  events.on('dependency:failed', failed).on('dependency:works', works)
  events.on('document:started', started).on('document:released', released)
  return {
    [Symbol.dispose]: () => {
      stop()
      events.off('dependency:failed', failed).off('dependency:works', works)
      events.off('document:started', started).off('document:released', released)
    },
  }
}
