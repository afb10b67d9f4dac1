import { within } from '#src/observe/within.ts'
import type { Events, Receiver, SluiceEvents } from '#src/events.ts'
import type { GateState } from '#src/gate/gate-state.ts'

export interface RecoveryTiming {
  readonly everyMs: number
  /** For how long the gate must let requests through, without a failure here, until the service counts as back. */
  readonly calmMs: number
}

const TIMING: RecoveryTiming = { everyMs: 1_000, calmMs: 5_000 }

/** How long Redis may take to say how the gate is. */
const ANSWER_MS = 500

/**
 * Ends an outage of the service that this process met and another one saw the end of. A process that has nothing more to send
 * would report it for ever: its document was retried elsewhere. The gate is the shared truth: it is shut in an outage until
 * a probe of any process gets through. While this process has documents in flight, their answers decide.
 *
 * States: idle; `suspect` from a failure to the next success, polling the gate; back to idle at a success of this
 * process, or with `service:recovered` when nothing is in flight here and the gate was open for `calmMs`.
 */
export function watchRecovery(
  events: Events,
  gate: { readonly state: () => Promise<Pick<GateState, 'shut'>> },
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
    const state = await within(gate.state(), ANSWER_MS)
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
