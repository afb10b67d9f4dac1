import { expect, test } from 'vitest'
import { ingestDocument } from '#src/ingest/ingest-document.ts'
import { consume } from '#src/queue/consume.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { sourceKey } from '#src/document/ids.ts'
import { extensionOf, type Extension } from '@sluice/contract'
import type { DocumentJob } from '#src/ports/queue.ts'
import { startTestRedis } from '../../support/redis.ts'
import { errorReply, parsedReply } from '../../support/scripted-service.ts'
import { depsOf, openWorkbench, type Workbench, type BenchParts } from '../../support/workbench.ts'
import { until } from '../../support/wait.ts'
import { shared } from '../../support/shared.ts'

const redis = await shared(startTestRedis())

const DOCUMENTS = 200
const RETRY_AFTER_MS = 1_000

async function jobOf(bench: Workbench, name: string): Promise<DocumentJob> {
  await bench.write(name, `name\n${name}\n`)
  const key = sourceKey(name)
  const document = await bench.deps.source.open(key, new AbortController().signal)
  if ('message' in document) throw new Error(document.message)
  const { version, bytes } = document
  await document[Symbol.asyncDispose]()
  const { hash } = bench.deps.recipeFor(key, extensionOf(name) as Extension)
  return { schema: 1, key, version, recipeHash: hash, bytes, queuedAt: Date.now() }
}

test(
  'a refused document is sent again when it is due, before the backlog, and is read once',
  { timeout: 240_000 },
  async () => {
    let refused: string | null = null
    await using bench = await openWorkbench({
      redis,
      answers: ({ file, number }) => {
        if (number !== 5) return { ...parsedReply(), delayMs: 40 }
        refused = file?.sha256 ?? null
        return { ...errorReply(429, 'Rate limit exceeded'), headers: { 'retry-after': `${RETRY_AFTER_MS / 1000}` } }
      },
    })
    let opened = 0
    const { source } = bench.deps
    const deps: BenchParts = {
      ...bench.deps,
      source: Object.assign(Object.create(source) as typeof source, {
        open: (...args: Parameters<typeof source.open>) => ((opened += 1), source.open(...args)),
      }),
    }
    const jobs = await Promise.all(Array.from({ length: DOCUMENTS }, (_, i) => jobOf(bench, `${i}.csv`)))
    const pipeline = `refused-first-${process.pid}`
    const queue = new DocumentQueue({ connection: redis.connection, pipeline })
    const errors: unknown[] = []
    const consumer = consume({
      connection: redis.connection,
      pipeline,
      concurrency: 4,
      handle: (delivery, signal) => ingestDocument(delivery, depsOf(deps), signal),
      giveUp: async () => undefined,
      onError: (error) => errors.push(error),
    })
    await deps.ledger.write(
      jobs.map(({ key, version, recipeHash }) => [key, { version, recipeHash, outcome: 'pending' }]),
    )
    await queue.add(jobs)
    await until('all are done', 60_000, async () => (await queue.backlog()) === 0)
    await consumer.stop({ graceMs: 1_000 })
    await queue[Symbol.asyncDispose]()
    expect(errors).toEqual([])

    const { requests } = bench.service
    const [first, second] = requests.filter(({ file }) => file?.sha256 === refused)
    if (first === undefined || second === undefined) throw new Error('the refused document was not sent twice')
    expect(second.atMs - first.atMs).toBeGreaterThanOrEqual(RETRY_AFTER_MS)
    const others = requests.filter(({ atMs }) => atMs > first.atMs + RETRY_AFTER_MS + 50)
    const before = others.filter(({ atMs }) => atMs < second.atMs)
    // A worker that sends it back to the queue would send all of these first.
    expect(others.length).toBeGreaterThan(50)
    expect(before.length).toBeLessThan(0.3 * others.length)
    expect(opened).toBeLessThanOrEqual(1.2 * requests.length)
  },
)
