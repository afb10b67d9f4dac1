import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { recipeBook } from '#src/contract/rules.ts'
import { extensionOf } from '#src/document/formats.ts'
import { Events } from '#src/events.ts'
import { batchesOf } from '#src/ingest/scan/batches.ts'
import { sourceId } from '#src/document/ids.ts'
import { scanSource } from '#src/ingest/scan/scan-source.ts'
import { RedisLedger } from '#src/ledger/redis-ledger.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import type { LedgerEntry } from '#src/document/ledger-entry.ts'
import type { Source } from '#src/ports/source.ts'
import { connectRedis } from '#src/redis/connection.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { openEmbeddedRedis } from '#src/redis/private-server/private-redis.ts'
import { parserPolicyOf } from '#workers/parser-policy.ts'
import { openFolderSource } from '#src/sources/folder/folder-source.ts'
import { systemClock } from '#workers/system-clock.ts'

/*
 * `npm run bench:rescan`: how fast an archive in which nothing changed is read through. Beside it, for scale, a bare
 * walk of the same files that does nothing but `readdir` and `stat`, one folder at a time.
 */

const { values } = parseArgs({ options: { files: { type: 'string', default: '100000' } } })
const files = Number(values.files)
const PER_FOLDER = 1_000
const signal = new AbortController().signal

const folder = await mkdtemp(join(tmpdir(), 'sluice-rescan-'))
const redis = await openEmbeddedRedis({
  dataDir: join(folder, 'redis'),
  cacheDir: resolve(import.meta.dirname, '../../node_modules/.cache/sluice'),
})
const connection = await connectRedis({ url: redis.url })
try {
  const archive = join(folder, 'in')
  await makeFiles(archive)
  const source = openFolderSource({ path: archive })
  const ledger = new RedisLedger({ connection, pipeline: 'rescan' })
  const queue = new DocumentQueue({ connection, pipeline: 'rescan' })
  const store = await openFolderStore({ path: join(folder, 'out') })
  const recipeFor = recipeBook({})
  await recordAll(source, ledger, recipeFor)
  const deps = {
    source,
    owner: { id: sourceId('bench'), address: source.url },
    parsers: parserPolicyOf(
      { parseApiUrl: undefined, acceptLocal: false, upgrade: false, rules: [], route: 'service', neverSend: [] },
      { isFormer: false, prefix: '' },
    ),
    isOutdated: () => false,
    store,
    ledger,
    queue,
    events: new Events(),
    recipeFor,
    textRecipeFor: () => null,
    cutter: null,
    clock: systemClock(Date.now),
    halt: () => undefined,
    storePatienceMs: 0,
    storeSlowMs: 10_000,
    stopping: new AbortController().signal,
    backlogLimit: 1,
    checksum: false,
    removeGone: false,
  }
  for (let round = 1; round <= 3; round++) {
    const bare = await timed(() => bareWalk(archive))
    let enqueued = 0
    const scan = await timed(async () => {
      ;({ enqueued } = await scanSource(deps, signal))
    })
    const line = {
      files,
      enqueued,
      filesPerSecond: Math.round(files / scan.seconds),
      bareWalk: Math.round(files / bare.seconds),
      cpuUs: Math.round((scan.cpuUs / files) * 10) / 10,
      bareCpuUs: Math.round((bare.cpuUs / files) * 10) / 10,
    }
    process.stdout.write(`${JSON.stringify(line)}\n`)
    if (enqueued > 0) process.exitCode = 2
  }
  await queue[Symbol.asyncDispose]()
} finally {
  connection.disconnect()
  await redis[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
  await rm(dirname(redis.url), { recursive: true, force: true })
}

async function makeFiles(archive: string): Promise<void> {
  for (let from = 0; from < files; from += PER_FOLDER) {
    const part = join(archive, `part ${from / PER_FOLDER}`)
    await mkdir(part, { recursive: true })
    const numbers = Array.from({ length: Math.min(PER_FOLDER, files - from) }, (_, index) => from + index)
    await Promise.all(numbers.map((number) => writeFile(join(part, `${number}.csv`), `number\n${number}\n`)))
  }
}

/** As after a run that parsed everything. */
async function recordAll(source: Source, ledger: RedisLedger, recipeFor: ReturnType<typeof recipeBook>): Promise<void> {
  for await (const items of batchesOf(source.list(signal), PER_FOLDER)) {
    await ledger.write(
      items.flatMap((item): (readonly [typeof item.key, LedgerEntry])[] => {
        const extension = extensionOf(item.key)
        if (item.kind !== 'document' || extension === null) return []
        const recipeHash = recipeFor(item.key, extension).hash
        return [[item.key, { version: item.version, recipeHash, outcome: 'done' }]]
      }),
    )
  }
}

async function bareWalk(archive: string): Promise<void> {
  for (const part of await readdir(archive)) {
    const names = await readdir(join(archive, part))
    await Promise.all(names.map((name) => stat(join(archive, part, name), { bigint: true })))
  }
}

/** Seconds, and processor time of this process: on a busy machine the second says more. */
async function timed(work: () => Promise<void>): Promise<{ readonly seconds: number; readonly cpuUs: number }> {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { seconds: (performance.now() - startedAt) / 1000, cpuUs: user + system }
}
