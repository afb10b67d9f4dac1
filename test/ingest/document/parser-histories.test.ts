import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pLimit from 'p-limit'
import { expect, test } from 'vitest'
import { receiptId, type SourceKey, sourceKey } from '#src/document/ids.ts'
import type { ParserIdentity, ParserPolicy } from '#src/document/parser.ts'
import { decideChange, acceptanceOf } from '#src/ingest/scan/decide-change.ts'
import { ingestDocument } from '#src/ingest/ingest-document.ts'
import type { Delivery } from '#src/ports/queue.ts'
import { outdatedDocuments } from '#src/ingest/document/local-documents.ts'
import { RedisLedger } from '#src/ledger/redis-ledger.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { sha256 } from '../../support/documents.ts'
import { Random } from '../../support/random.ts'
import { startTestRedis } from '../../support/redis.ts'
import { parsedReply } from '../../support/scripted-service.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { depsOf, openWorkbench, type Workbench, type BenchParts } from '../../support/workbench.ts'
import { seedFrom } from '../../support/seed.ts'
import { elapse } from '../../support/wait.ts'
import { shared } from '../../support/shared.ts'

/*
 * Random histories of one store: documents come, are copied and renamed; parsers are switched, engines upgraded. After
 * each run every output must come from the parser that its record names, nothing may be bought twice, and the receipts
 * of both classes must be there. SEEDS=1000 HISTORY_SEED=n runs a range of its own.
 */

const SEEDS = Number(process.env['SEEDS'] ?? 30)
const FIRST_SEED = seedFrom('HISTORY_SEED', 'fresh')
const DELIVERIES = 50
const SIGNAL = new AbortController().signal

const redis = await shared(startTestRedis())

const nameOf = (parser: ParserIdentity): string => `${parser.class} ${parser.origin} ${parser.version}`

/** The gate may have it come again. */
async function ingested(delivery: Delivery, deps: BenchParts): Promise<void> {
  for (let times = 0; times < DELIVERIES; times++) {
    const verdict = await ingestDocument(delivery, depsOf(deps), SIGNAL)
    if (verdict.kind === 'finish') return
    expect(verdict.counted, verdict.reason).toBe(false)
    await elapse(Math.min(verdict.afterMs, 200), 'the queue delivers a postponed job later')
  }
  throw new Error(`${delivery.job.key} did not finish`)
}

class History {
  readonly random: Random
  readonly #bench: Workbench
  readonly #deps: BenchParts
  readonly #seed: number
  readonly #say: (answer: string) => void
  readonly #contents = new Map<string, string>()
  // From here on each version reads all documents otherwise.
  #engine = 3
  #count = 0
  policy: ParserPolicy

  constructor(seed: number, bench: Workbench, deps: BenchParts, say: (answer: string) => void) {
    this.random = new Random(seed)
    this.#seed = seed
    this.#bench = bench
    this.#deps = deps
    this.#say = say
    this.policy = this.switched()
  }

  get #inbox(): string {
    return fileURLToPath(this.#deps.source.url)
  }

  /** Another parser: an engine of some version, or one of two addresses of a service. */
  switched(): ParserPolicy {
    const embedded = this.random.below(2) === 0
    const origin = this.random.pick(['https://one.example', 'https://two.example'])
    const present: ParserIdentity = embedded
      ? { class: 'embedded', origin: 'engine', version: String(this.#engine) }
      : { class: 'service', origin, version: null }
    const acceptLocal = !embedded && this.random.below(4) === 0
    return { own: present, acceptLocal, upgrade: this.random.below(3) === 0, upgradeOf: null }
  }

  async step(): Promise<void> {
    const keys = [...this.#contents.keys()]
    const key = `h${this.#seed}-${this.#count++}.csv`
    const choice = this.random.below(6)
    if (choice === 0) this.#engine += 1
    if (choice <= 1) this.policy = this.switched()
    else if (choice === 2 && keys.length > 0) {
      const from = this.random.pick(keys)
      await rename(join(this.#inbox, from), join(this.#inbox, key))
      this.#contents.set(key, this.#contents.get(from) ?? '')
      this.#contents.delete(from)
    } else {
      const content = choice === 3 && keys.length > 0 ? this.#contents.get(this.random.pick(keys)) : undefined
      this.#contents.set(key, content ?? `content ${this.#seed} ${this.#count}`)
      await this.#bench.write(key, this.#contents.get(key) ?? '')
    }
  }

  /** What a run does: compares with the ledger, ingests what is not done. */
  async run(): Promise<void> {
    const deps = { ...this.#deps, parsers: this.policy }
    this.#say(nameOf(this.policy.own))
    const isOutdated = await outdatedDocuments(deps, SIGNAL)
    for (const name of this.#contents.keys()) {
      const key = sourceKey(name)
      const opened = await deps.source.open(key, SIGNAL)
      if ('message' in opened) throw new Error(opened.message)
      const { version, bytes } = opened
      await opened[Symbol.asyncDispose]()
      const recipeHash = deps.recipeFor(key, 'csv').hash
      const [known = null] = await deps.ledger.read([key])
      const parsed = acceptanceOf(key, { parsers: this.policy, isOutdated })
      if (decideChange(known, { version, recipeHash }, parsed) === 'unchanged') continue
      await deps.ledger.write([[key, { version, recipeHash, outcome: 'pending' }]])
      const job = { schema: 1, key, version, recipeHash, bytes, queuedAt: Date.now() } as const
      await ingested({ job, attempt: 1 }, deps)
    }
  }

  async check(bought: ReadonlyMap<string, readonly string[]>): Promise<void> {
    for (const [name, content] of this.#contents) await this.#checkDocument(sourceKey(name), content)
    for (const content of new Set(this.#contents.values())) {
      const answers = bought.get(sha256(content)) ?? []
      expect(answers.filter((answer) => answer.startsWith('service')).length).toBeLessThanOrEqual(1)
      expect(new Set(answers).size, answers.join(', ')).toBe(answers.length)
      for (const kind of ['embedded', 'service'] as const) {
        const has = answers.some((answer) => answer.startsWith(kind))
        const recipe = this.#deps.recipeFor(sourceKey('a.csv'), 'csv').hash
        const kept = await this.#deps.store.receipts.read(receiptId(sha256(content) as never, recipe, kind))
        expect(kept?.parser?.class ?? null, `${kind} of ${content}`).toBe(has ? kind : null)
      }
    }
  }

  async #checkDocument(key: SourceKey, content: string): Promise<void> {
    const { store } = this.#deps
    const record = await store.documents.read(key)
    const { parser, receipt } = record ?? {}
    if (!parser || !receipt) throw new Error(`${key} has no record with a parser and a receipt`)
    const text = (await store.documents.readOutput(key, 'document.md'))?.toString() ?? ''
    expect(text).toBe(`${nameOf(parser)}\n\n${content}\n`)
    const kept = (await store.receipts.read(receipt))?.parser
    // A newer engine may have answered for another name of the same content since.
    expect(kept?.class).toBe(parser.class)
    if (parser.class === 'service') expect(kept).toEqual(parser)
    else expect(Number(kept?.version)).toBeGreaterThanOrEqual(Number(parser.version))
    const { own, acceptLocal, upgrade } = this.policy
    if (own.class === 'service' && !acceptLocal) expect(parser.class).toBe('service')
    if (own.class === 'embedded' && upgrade && parser.class === 'embedded') {
      expect(Number(parser.version)).toBeGreaterThanOrEqual(Number(own.version))
    }
  }
}

/** Histories that are played side by side. */
const AT_ONCE = 4

const seedOf = (content: string): number => Number(/^content (\d+)/.exec(content)?.[1])

test(`${SEEDS} random histories of parser switches, upgrades, renames and copies end with the right parser, from seed ${FIRST_SEED}`, async () => {
  const answering = new Map<number, string>()
  const bought = new Map<string, string[]>()
  await using bench = await openWorkbench({
    redis,
    answers: ({ file }) => {
      const content = file?.content?.toString() ?? ''
      const answer = answering.get(seedOf(content)) ?? ''
      bought.set(sha256(content), [...(bought.get(sha256(content)) ?? []), answer])
      return parsedReply(`${answer}\n\n${content}\n`)
    },
  })
  await using stores = await tempFolder()
  let runs = 0
  const play = async (seed: number): Promise<void> => {
    const path = join(stores.path, String(seed))
    // A ledger of its own: a run reads all of it.
    const ledger = new RedisLedger({ connection: redis.connection, pipeline: `history-${seed}` })
    const store = await openFolderStore({ path })
    const history = new History(seed, bench, { ...bench.deps, store, ledger }, (answer) => answering.set(seed, answer))
    try {
      for (let left = 4 + history.random.below(8); left > 0; left--) {
        for (let steps = 1 + history.random.below(3); steps > 0; steps--) await history.step()
        await history.run()
        await history.check(bought)
        runs += 1
      }
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error })
    }
    await rm(path, { recursive: true })
  }
  const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index)
  const limit = pLimit(AT_ONCE)
  // All of them end before anything is closed.
  const ended = await Promise.allSettled(seeds.map((seed) => limit(play, seed)))
  const failed = ended.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))
  expect(failed).toEqual([])
  const answers = [...bought.values()].flat()
  const paid = answers.filter((answer) => answer.startsWith('service')).length
  process.stdout.write(`${SEEDS} histories, ${runs} runs: ${paid} bought, ${answers.length - paid} by the engine\n`)
  expect(paid).toBeGreaterThan(0)
}, 1_200_000)
