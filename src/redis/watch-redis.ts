import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisConnection } from './connection.ts'
import { settlesWithin } from './settles-within.ts'

export interface RedisWatchOptions {
  readonly onFailed: (cause: string) => void
  readonly onWorks: () => void
}

const INTERVAL_MS = 1_000
const ANSWER_MS = 1_000

/**
 * Polls Redis each second as a health check. Commands wait out an outage and never reject, so only this check reports
 * one. Disposal stops it.
 */
export function watchRedis(connection: RedisConnection, { onFailed, onWorks }: RedisWatchOptions): Disposable {
  const stop = new AbortController()
  let last = 'the connection is lost'
  const remember = (error: Error): void => {
    last = error.message === '' ? last : error.message
  }
  const lost = (): void => onFailed(`it does not answer: ${last}`)
  connection.on('error', remember)
  connection.on('close', lost)
  const watch = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await sleep(INTERVAL_MS, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)
      if (stop.signal.aborted) return
      if (connection.status !== 'ready') lost()
      else if (await isAnswering(connection)) onWorks()
      else if (!stop.signal.aborted) onFailed(`it does not answer within ${ANSWER_MS / 1000} s`)
    }
  }
  void watch()
  return {
    [Symbol.dispose]: () => {
      stop.abort()
      connection.off('error', remember)
      connection.off('close', lost)
    },
  }
}

async function isAnswering(connection: RedisConnection): Promise<boolean> {
  const ping = connection.ping().then(
    () => true,
    () => false,
  )
  return (await settlesWithin(ping, ANSWER_MS)) && ping
}
