import { setTimeout as sleep } from 'node:timers/promises'

/** Checks again and again, with a pause between two checks, until it is disposed of; the last check ends before that does. */
export function poll(pauseMs: number, check: () => Promise<void>): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  const polling = (async () => {
    while (!signal.aborted) {
      await check()
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  })()
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await polling
    },
  }
}
