import { expect } from 'vitest'
import type { Engine } from '../../src/server/create-engine.ts'
import { parseWith } from '../support/engine-client.ts'

export interface HostileDocument {
  readonly what: string
  readonly file: File
}

export const document = (what: string, name: string, bytes: Uint8Array | string): HostileDocument => ({
  what,
  file: new File([typeof bytes === 'string' ? bytes : Uint8Array.from(bytes)], name),
})

const TIMEOUT_MS = 8_000
/** Upload, queue and answer, on a machine that has other things to do. */
const SLACK_MS = 90_000
const ANSWERS = new Set([200, 400, 408, 422])

/** Status and code of each answer; fails when one is late or not of the contract. */
export async function sendAll(
  engine: Pick<Engine, 'url'>,
  documents: readonly HostileDocument[],
): Promise<Map<string, string>> {
  const outcomes = new Map<string, string>()
  const waiting = [...documents]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { what, file } = next
      const signal = AbortSignal.timeout(TIMEOUT_MS + SLACK_MS)
      const { status, body } = await parseWith(engine, { file, options: { timeout: TIMEOUT_MS }, signal }).catch(
        (error: unknown) => {
          throw new Error(`no answer to ${what}`, { cause: error })
        },
      )
      outcomes.set(what, status === 200 ? '200' : `${status} ${body.code}`)
      expect(body.success, what).toBe(status === 200)
      const expected = ANSWERS.has(status) || body.code === 'SCRAPE_ALL_ENGINES_FAILED'
      expect(expected, `${what}: ${status} ${body.code} ${body.error}`).toBe(true)
    }
  }
  await Promise.all([work(), work()])
  return outcomes
}
