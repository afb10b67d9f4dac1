import type { Events, SluiceEvents } from '#src/events.ts'

/**
 * Halts a batch whose service gave no answer at all for `patienceMs` after the first request. Its address, the network,
 * a proxy or a certificate is wrong, and waiting repairs none of them. One answer, also a refusal, ends the watch: a
 * service that was there may come back. While the embedded engine beside the service answers, the run goes on: the time
 * counts from its last answer.
 */
export function haltWithoutAnswer(events: Events, service: string, patienceMs: number): Disposable {
  let timer: NodeJS.Timeout | null = null
  let cause = 'the requests are still waiting for their answers.'
  const begun = ({ to }: SluiceEvents['request:begun'][0]): void => {
    if (to === 'engine') return
    timer ??= setTimeout(() => {
      stop()
      const message =
        `${service} gave no answer for ${described(patienceMs)}: ${cause} ` +
        'Check its address, the network, proxy and certificate, then run again; every document is kept'
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
