import { readFile } from 'node:fs/promises'
import { describe, expect, test, vi } from 'vitest'
import { residentBytes } from '#src/engine/children/process-usage.ts'
import { csvFile, parseWith } from '../support/engine-client.ts'
import { startEngine } from '../support/engine-process.ts'
import { builtDocuments, damagedSamples, type HostileDocument } from './hostile-documents.ts'
import { seedFrom } from '../../support/seed.ts'
import { shared } from '../../support/shared.ts'

const TIMEOUT_MS = 8_000
/** Upload, queue and answer, on a machine that has other things to do. */
const SLACK_MS = 90_000
const SERVER_BYTES = 400 * 1024 ** 2
const CHILD_MEGABYTES = 1_000
const ANSWERS = new Set([200, 400, 408, 422])
const seed = seedFrom('FUZZ_SEED', 'fresh')

const engine = await shared(
  startEngine(['--children=2'], { ...process.env, SLUICE_ENGINE_MEMORY_MB: String(CHILD_MEGABYTES) }),
)

/** Status and code of each answer; fails when one is late or not of the contract. */
async function sendAll(documents: readonly HostileDocument[]): Promise<Map<string, string>> {
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

describe('the engine', () => {
  test(`answers every damaged sample (seed ${seed})`, { timeout: 240_000 }, async () => {
    console.log(`FUZZ_SEED=${seed}`)
    const outcomes = await sendAll(await damagedSamples(seed))
    console.log(Object.fromEntries(outcomes))
    expect(outcomes.size).toBeGreaterThan(40)
  })

  test('answers every hostile document', { timeout: 240_000 }, async () => {
    const outcomes = await sendAll(builtDocuments())
    console.log(Object.fromEntries(outcomes))
    expect(outcomes.get('a ZIP bomb that says so')).toBe('400 DOCUMENT_RESOURCE_LIMIT')
    expect(outcomes.get('a locked Word file')).toBe('400 DOCUMENT_ENCRYPTED')
    expect(outcomes.get('a locked PDF')).toBe('400 DOCUMENT_ENCRYPTED')
    expect(outcomes.get('another type')).toBe('400 DOCUMENT_WRONG_TYPE')
  })

  test('still answers after damaged and hostile documents, and stays within its memory limit', async () => {
    expect((await parseWith(engine, { file: csvFile() })).status).toBe(200)
    expect(await engine.peakBytes()).toBeLessThan(SERVER_BYTES)
    // A child that was killed a moment ago may still be handing back its memory.
    await vi.waitFor(async () => expect(await childrenOf(engine.pid)).toHaveLength(2), 60_000)
    for (const pid of await childrenOf(engine.pid)) expect(residentBytes(pid)).toBeLessThan(CHILD_MEGABYTES * 1024 ** 2)
  })
})

async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return list.trim().split(' ').map(Number)
}
