import { createHash } from 'node:crypto'
import { appendFile, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { openFolderSource } from '#src/sources/folder/folder-source.ts'
import { watchFolder } from '#src/sources/folder/folder-watch.ts'
import { readAll } from '../../conformance/source.ts'
import { Random } from '../../support/random.ts'
import { seedFrom } from '../../support/seed.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { elapse, takes, until } from '../../support/wait.ts'

/** What a storm over a watched folder came to. All but `bursts` and `excused` must be 0. */
interface StormReport {
  readonly bursts: number
  /** Reported while no finished content was there. */
  readonly half_written: number
  /** The same version of a document enqueued twice. */
  readonly duplicates: number
  /** At rest in the end, and never reported. */
  readonly missed: number
  /** Slow writes that this machine's load slowed down so much that they did seem at rest in between. */
  readonly excused: number
}

const SEED = seedFrom('STORM_SEED', 'fresh')
const BURSTS = Number(process.env['STORM_BURSTS'] ?? 500)

const STABLE_MS = 500
const AT_ONCE = 100

const never = new AbortController().signal

/** Text that shows whether all of it is there. */
function content(seed: number): string {
  const text = `document ${seed} `.repeat(20 + (seed % 50))
  return `${text}\n${createHash('sha256').update(text).digest('hex')}`
}

function isWhole(text: string): boolean {
  const [body = '', hash] = text.split('\n')
  return createHash('sha256').update(body).digest('hex') === hash
}

/** Writes, renames, replaces and moves in `bursts` documents, many at once, while a watch follows. */
async function watchStorm(bursts: number, firstSeed: number): Promise<StormReport> {
  await using outside = await tempFolder()
  await using folder = await tempFolder()
  const excused = new Set<string>()
  const reported = new Map<string, number>()
  const ledger = new Map<string, string>()
  let halfWritten = 0
  const stop = new AbortController()
  const source = openFolderSource({ path: folder.path })

  const following = (async () => {
    for await (const batch of watchFolder({ path: folder.path, stableMs: STABLE_MS, rescanMs: 20_000 }).changes(
      stop.signal,
    )) {
      for (const change of batch) {
        if (change.kind !== 'document') continue
        // Scans report again what is there already: the ledger compares, here as in the real thing.
        if (ledger.get(change.key) === change.version) continue
        ledger.set(change.key, change.version)
        const name = `${change.key} ${change.version}`
        reported.set(name, (reported.get(name) ?? 0) + 1)
        await using opened = (await source.open(change.key, never)) as AsyncDisposable & { kind?: 'opened' }
        if (opened.kind !== 'opened') continue
        const text = (await readAll(opened as never).catch(() => Buffer.from('\n'))).toString()
        if (!isWhole(text) && !excused.has(change.key)) halfWritten++
      }
    }
  })()
  await elapse(1000, 'the watch opens, and nothing is there')

  let next = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let seed = next++; seed < bursts; seed = next++) {
        await burst(seed, folder.path, outside.path, excused, new Random(firstSeed + seed))
      }
    }),
  )
  // Longer than the time between two scans, so that what events missed is found.
  const keys = Array.from({ length: bursts }, (_, seed) => keyOf(seed))
  await until('every document is reported', 25_000, () => keys.every((key) => ledger.has(key)))
  await elapse(STABLE_MS + 1000, 'a document that is reported twice is reported by then')
  stop.abort()
  await following

  let missed = 0
  for await (const item of source.list(never)) {
    if (item.kind === 'document' && !reported.has(`${item.key} ${item.version}`)) missed++
  }
  const duplicates = [...reported.values()].filter((count) => count > 1).length
  return { bursts, half_written: halfWritten, duplicates, missed, excused: excused.size }
}

const keyOf = (seed: number): string => `${seed % 13}/${seed % 7}/${seed}.pdf`

async function burst(seed: number, root: string, outside: string, excused: Set<string>, random: Random): Promise<void> {
  const key = sourceKey(keyOf(seed))
  const path = `${root}/${key}`
  await mkdir(path.slice(0, path.lastIndexOf('/')), { recursive: true })
  const kind = seed % 5
  if (kind === 0) await writeFile(path, content(seed))
  if (kind === 1) await writeSlowly(path, content(seed), random, () => excused.add(key))
  if (kind === 2) {
    await writeSlowly(`${path}.part`, content(seed), random, () => undefined)
    await rename(`${path}.part`, path)
  }
  if (kind === 3) {
    await writeFile(`${outside}/${seed}`, content(seed))
    await utimes(`${outside}/${seed}`, 1_000_000 + seed, 1_000_000 + seed)
    await rename(`${outside}/${seed}`, path)
  }
  if (kind === 4) {
    await writeFile(path, content(seed))
    await takes(random.below(300))
    await writeFile(`${outside}/${seed}`, content(seed + 1))
    await (random.chance(0.5)
      ? rename(`${outside}/${seed}`, path)
      : rm(path).then(() => rename(`${outside}/${seed}`, path)))
  }
}

async function writeSlowly(path: string, text: string, random: Random, tooSlow: () => void): Promise<void> {
  const parts = 5
  await writeFile(path, '')
  for (let part = 0; part < parts; part++) {
    const begun = performance.now()
    await takes(20 + random.below(100))
    await appendFile(path, text.slice((part * text.length) / parts, ((part + 1) * text.length) / parts))
    if (performance.now() - begun > STABLE_MS * 0.8) tooSlow()
  }
}

test('a watch in a storm of slow writes, renames, replacements and old dates reports every document once, complete', async () => {
  const report = await watchStorm(BURSTS, SEED)
  expect(report).toEqual({ bursts: BURSTS, half_written: 0, duplicates: 0, missed: 0, excused: expect.any(Number) })
})
