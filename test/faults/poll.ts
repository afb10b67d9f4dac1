import { setTimeout as sleep } from 'node:timers/promises'

/** Looks again and again, with a pause between two looks, until it is disposed of; the last look ends before that does. */
export function poll(pauseMs: number, look: () => Promise<void>): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  const looking = (async () => {
    while (!signal.aborted) {
      await look()
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  })()
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await looking
    },
  }
}
