import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { parseOptionsSchema } from '@sluice/contract'
import { ConversionPool, type ConversionPoolOptions } from '../../src/children/conversion-pool.ts'
import type { ConversionTask } from '../../src/children/conversion-task.ts'
import { shared } from '../../../../test/support/shared.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'

const PRELOAD = new URL('./preloads/crash.ts', import.meta.url).href
const never = new AbortController().signal
const { path: folder } = await shared(tempFolder())
let counter = 0

async function withPool<T>(options: ConversionPoolOptions, use: (pool: ConversionPool) => Promise<T>): Promise<T> {
  vi.stubEnv('NODE_OPTIONS', `--disable-warning=ExperimentalWarning --import ${PRELOAD}`)
  await using pool = new ConversionPool({ children: 1, ...options })
  await pool.start()
  try {
    return await use(pool)
  } finally {
    vi.unstubAllEnvs()
  }
}

/** A CSV whose first line instructs the preload; the file of the second line gets the pid of each attempt. */
async function task(what: string): Promise<{ readonly task: ConversionTask; attempts(): Promise<string[]> }> {
  counter += 1
  const path = join(folder, `${counter}.csv`)
  const log = join(folder, `${counter}.log`)
  await writeFile(path, `${what}\n${log}\n`)
  await writeFile(log, '')
  const options = parseOptionsSchema.parse({})
  const rest = { contentType: null, baseUrl: null, model: null, passwords: [], extensions: false, cacheFolder: folder }
  return {
    task: { path, extension: 'csv', options, ...rest, fieldsPath: join(folder, `${counter}.fields`) },
    attempts: async () => (await readFile(log, 'utf8')).trim().split('\n'),
  }
}

describe('the conversion pool of the engine', () => {
  test('tries a document that crashes its process once more in a fresh one, then names the signal', async () => {
    await withPool({}, async (pool) => {
      const [always, once, healthy] = [await task('crash always'), await task('crash once'), await task('a,b')]
      expect(await pool.run(always.task, 30_000, never)).toMatchObject({ kind: 'crashed', signal: 'SIGSEGV' })
      expect(new Set(await always.attempts()).size).toBe(2)
      expect(await pool.run(once.task, 30_000, never)).toMatchObject({ kind: 'converted' })
      expect(await once.attempts()).toHaveLength(2)
      expect(await pool.run(healthy.task, 30_000, never)).toMatchObject({ kind: 'converted' })
    })
  })

  test('ends a looping conversion after its processing time, and one whose client disconnected', async () => {
    await withPool({}, async (pool) => {
      expect(await pool.run((await task('spin')).task, 400, never)).toEqual({ kind: 'timed-out' })
      const spinning = await task('spin')
      const gone = new AbortController()
      const result = pool.run(spinning.task, 30_000, gone.signal)
      await vi.waitFor(async () => expect(await spinning.attempts()).not.toEqual(['']), 60_000)
      gone.abort()
      expect(await result).toEqual({ kind: 'aborted' })
      expect(await pool.run((await task('a,b')).task, 30_000, never)).toMatchObject({ kind: 'converted' })
    })
  })

  test('reports a document that exceeds the memory of a fresh process', async () => {
    // Node alone needs more than this.
    await withPool({ childMemoryBytes: 20 * 1024 ** 2 }, async (pool) => {
      const result = await pool.run((await task('spin')).task, 30_000, never)
      expect(result).toEqual({ kind: 'over-memory', limitBytes: 20 * 1024 ** 2 })
    })
  })

  test('replaces a process after its number of documents, and continues', async () => {
    await withPool({ documentsPerChild: 1 }, async (pool) => {
      const tasks = await Promise.all([task('crash never'), task('crash never')])
      const results = await Promise.all(tasks.map((each) => pool.run(each.task, 30_000, never)))
      expect(results.map(({ kind }) => kind)).toEqual(['converted', 'converted'])
      expect(new Set((await Promise.all(tasks.map((each) => each.attempts()))).flat()).size).toBe(2)
    })
  })
})
