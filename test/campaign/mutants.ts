import type { FaultKind } from './classes/index.ts'

/*
 * Mistakes that the campaign must find. They are planted into the text of a module as the program is bundled, so that
 * the program itself has no switch for them.
 */

export type Patch = readonly [file: string, from: string, to: string]

export const MUTANTS = {
  /** The answer is kept only after everything is derived from it. */
  'receipt-last': [
    [
      'src/ingest/document/save-answer.ts',
      'await deps.stores.receipts.save(answer.id, answer.body, answer.parser)',
      '',
    ],
    [
      'src/ingest/document/obtain-answer.ts',
      'answer: { reading, receipt, parser, requestId, cost }',
      'answer: { reading, receipt, parser, requestId, cost, body: answer.body }',
    ],
    [
      'src/ingest/ingest-document.ts',
      'return commitAnswer(work, outcome.answer, deps)',
      `{
        const end = await commitAnswer(work, outcome.answer, deps)
        const { receipt, parser, body } = outcome.answer
        if (body !== undefined) await deps.stores.receipts.save(receipt, body, parser)
        return end
      }`,
    ],
  ],
  /** The record is written to its final path, and the outputs that it lists after it; in a folder and in a bucket. */
  'record-first': [
    [
      'src/outputs/folder/folder-documents.ts',
      'checkFiles(record, files)',
      `checkFiles(record, files)
    const { mkdir } = await import('node:fs/promises')
    const { writeFlushed } = await import('../file-system.ts')
    const home = this.folderOf(record.key)
    await rm(home, { recursive: true, force: true })
    await mkdir(home, { recursive: true })
    await writeFlushed(join(home, RECORD_FILE), toJson(record))
    for (const [name, bytes] of files) await writeFlushed(join(home, name), bytes)
    await rm(this.#at.deadLetters.pathOf(record.key), { force: true })
    if (files.size >= 0) return`,
    ],
    [
      'src/outputs/s3/s3-documents.ts',
      'if (outputs === null) await this.#putOutputs(folder, files)',
      `const early = await this.#putRecord(home, stored)
    if (outputs === null) await this.#putOutputs(folder, files)
    if (early !== null) await this.#sweep(home, folder, home + early.folder + '/')
    if (files.size >= 0) return`,
    ],
  ],
  /** The ledger says that a document is done before it is. */
  'ledger-first': [
    [
      'src/ingest/document/commit-answer.ts',
      'await deps.stores.documents.commit(record, files)',
      `await deps.stores.ledger.write([[work.job.key, { version: work.version, recipeHash: work.recipe.hash, outcome: record.outcome }]])
  await deps.stores.documents.commit(record, files)`,
    ],
  ],
  /** The run does not check whether Redis lost data before it reports that it is complete. */
  'believes-redis': [
    ['workers/ingest.ts', 'if (value !== null && data.losses() === losses)', 'if (value !== null)'],
    ['workers/ingest.ts', 'await countUnfinished(value.brought)', '0'],
    ['workers/ingest.ts', "if (kind === 'data') lost.abort", 'if (kind === null) lost.abort'],
  ],
  /** A request that is sent again in doubt is not counted. */
  'counts-no-doubt': [
    [
      'src/ledger/intent-scripts.ts',
      "redis.call('HINCRBY', KEYS[3], ARGV[1], 1)\n  redis.call('HSET'",
      "redis.call('HSET'",
    ],
  ],
  /** The lease of a process is not checked when the first byte of a request is about to leave. */
  'old-lease': [
    [
      'src/ledger/redis-intents.ts',
      'return lateHeartbeats !== undefined && this.#options.lease.isUnbroken(lateHeartbeats)',
      'return lateHeartbeats !== undefined',
    ],
  ],
  /** No check for the receipt between the intent and the request. */
  'no-second-check': [
    [
      'src/ingest/document/admit.ts',
      'const receipt = options.zeroDataRetention',
      'const receipt = options.zeroDataRetention !== null',
    ],
  ],
  /** How long a document has waited is determined by the clock of this machine. */
  'wall-clock': [['src/redis/shared-clock.ts', 'Math.round(ahead + performance.now())', 'Date.now()']],
  'any-source': [
    [
      'src/ingest/scan/claim-store.ts',
      "if (resolution.kind === 'refused') throw",
      "if (resolution.kind === 'refused') return { manifest, source: manifest.sources[0] }; if (resolution === null) throw",
    ],
    [
      'src/ingest/scan/claim-store.ts',
      "if (resolution.kind === 'refused') throw new StoreRefused(resolution.message)\n    const { source } = resolution\n    if (source.id",
      "if (resolution.kind === 'refused') return\n    const { source } = resolution\n    if (source.id",
    ],
  ],
  'any-disk': [
    [
      'src/ingest/scan/claim-store.ts',
      'knownId === null || acceptNew || manifest?.id === knownId',
      'knownId === null || knownId !== null',
    ],
  ],
  /** An empty source is believed. */
  'believes-empty': [
    ['src/ingest/scan/sweep-gone.ts', 'documents === 0 ? 0 : Math.max', 'Math.max'],
    ['src/ingest/scan/sweep-gone.ts', 'const ALWAYS_ALLOWED = 10', 'const ALWAYS_ALLOWED = 1e9'],
    ['src/ingest/scan/sweep-gone.ts', 'record === null || policy.remove', 'record === null || !policy.remove'],
  ],
  /** A worker believes its own mount. */
  'trusts-own-mount': [
    ['src/ingest/document/source-view.ts', "url.startsWith('file:') && isPartial !== true", "url === '' && isPartial"],
  ],
  /** Credits are counted as the price model has them, whatever the service reports. */
  'believes-model': [['src/ingest/document/buy-answer.ts', 'chargedCredits(usage.credits,', 'chargedCredits(null,']],
  /** Deliveries are counted, not documents. */
  'counts-deliveries': [
    [
      'src/ingest/document/commit-answer.ts',
      "again: settled === 'again' || settled === 'other-version'",
      'again: false',
    ],
  ],
  /** An outage is taken for the failure of each document that meets it. */
  'outage-is-failure': [
    [
      'src/ingest/document/buy-answer.ts',
      'if (!released.countsAsAttempt) return later',
      'if (released === null) return later',
    ],
    ['src/ingest/document/buy-answer.ts', "isLast ? 'final' : attempt", "isLast || attempt > 0 ? 'final' : attempt"],
  ],
  /** A run waits for ever for a service that never answered. */
  'endless-patience': [['workers/service/follow-service.ts', "events.on('request:begun', begun)", 'void begun']],
  /** What the store did not take counts as written. */
  'believes-writes': [
    ['src/ingest/document/retrying-store.ts', 'if (!(error instanceof StoreUnusable)) throw error', 'return'],
  ],
  /** A paid answer that the store did not take is forgotten, and its intent with it. */
  'forgets-answers': [
    [
      'src/ingest/document/save-answer.ts',
      'await spoolAnswer(answer, work, deps)',
      'await work.tier.intents.clear(answer.intent)',
    ],
  ],
  /** A stop waits for what hangs. */
  'endless-stop': [
    ['workers/process/lifecycle.ts', 'exitAfter(graceMs + FORCED_EXIT_SLACK_MS)', 'void exitAfter'],
    [
      'src/ingest/document/retrying-store.ts',
      'await failAfterAbort(signal, reportWhenSlow(write, timed))',
      'await reportWhenSlow(write, timed)',
    ],
    ['src/redis/private-server/run-program.ts', "cut.addEventListener('abort', kill, { once: true })", 'void kill'],
  ],
  /** Whatever folder is at the path of the store is filled. */
  'fills-any-folder': [
    ['src/outputs/folder/files/work-area.ts', 'await this.checkStore()', 'void this.checkStore'],
    ['src/outputs/folder/files/make-folder.ts', 'await checkStore()', 'void checkStore'],
    ['src/outputs/folder/files/make-folder.ts', 'above === root || above === path', 'above === path'],
    ['src/outputs/folder/files/folder-probe.ts', '(await this.#moved()) ?? (await this.#full())', 'null'],
  ],
  /** `gc` removes what was saved a moment ago, and no record refers to yet. */
  'gc-takes-young': [
    [
      'src/ingest/maintain/collect-receipts.ts',
      "if (savedAt > Math.min(startedAt, clock() - options.minAgeMs)) return { kind: 'young', id }",
      '',
    ],
    ['src/ingest/maintain/collect-receipts.ts', 'if (now && pending > 0)', 'if (now && pending < 0)'],
  ],
  /** A second signal of any kind cuts off what is in flight. */
  'second-signal-cuts': [['workers/process/lifecycle.ts', '!isAnotherCtrlC(signal, first.at)', 'first === null']],
  /** A commit under an earlier claim replaces a later one, and the worker finds nothing wrong with it. */
  'forgets-claims': [
    ['src/document/claim-lost.ts', 'if (isOfEarlierClaim(record, present)) throw', 'if (record === null) throw'],
    [
      'src/ingest/document/commit-answer.ts',
      '(await markOverwrittenPending(key, deps.stores))',
      'markOverwrittenPending === null',
    ],
  ],
  /** A record that is there is believed. */
  'believes-records': [
    [
      'src/ingest/maintain/lost-records.ts',
      'if (isWhole || (record !== null && !(await hasAllReceipts(record, store.receipts)))) return null',
      'if (isWhole || 1 > 0) return null',
    ],
  ],
  /** A line that cannot be written ends what wrote it. */
  'log-throws': [['src/observe/log-file.ts', 'this.#missing += 1\n', 'throw error\n']],
  /** The page of a portal is a refusal of each document that meets it. */
  'believes-portals': [
    [
      'src/ingest/document/refusals.ts',
      'if (suspicion?.name !== name && !isKnown) return this.#suspect(job, name)',
      "if (suspicion === suspicion) return 'document'",
    ],
  ],
  /** A store is free for every queue. */
  'shares-stores': [
    [
      'src/document/queue-lease.ts',
      'if (lease === null) return',
      'if (lease === null || lease.queue !== queue) return',
    ],
  ],
  /** `gc` believes that documents without records are gone. */
  'gc-asks-no-ledger': [
    ['src/ingest/maintain/collect-receipts.ts', 'if (documents.length > 0) return', 'if (documents.length < 0) return'],
    ['src/ingest/maintain/collect-receipts.ts', 'if (now && pending > 0) return', 'if (now && pending < 0) return'],
    ['src/ingest/maintain/collect-receipts.ts', 'return unused > Math.max', 'return unused < -Math.max'],
  ],
  /** The engine is started once. */
  'one-engine': [
    ['workers/engine/engine-supervisor.ts', 'this.#report(how, decision)', 'this.#report(how, decision); return'],
  ],
  /** The engine does not check that the converters are there. */
  'trusts-converters': [
    ['packages/engine/src/children/check-converters.ts', 'await load()', 'await load().catch(() => undefined)'],
    [
      'packages/engine/src/children/check-converters.ts',
      'packages.forEach((specifier) => import.meta.resolve(specifier))',
      'void packages',
    ],
  ],
} as const satisfies Record<string, readonly Patch[]>

/**
 * The class of faults by which each of the later mistakes is to be found; at least one for each class. Found from seed 1 on,
 * with its class alone, within these runs: store-full, wrong-address, engine-killed, converter-missing and download-hangs 1,
 * store-hangs 2, clock-jump 4, stand-still 5, partition 6, service-away 9 and 8, kill 12, other-mount 14; full-disk and blind-gc 2, double-signal 3, two-queues 4,
 * damaged-records 6, paused-commit 9.
 */
export const FOUND_BY = [
  ['kill', 'counts-no-doubt'],
  ['service-away', 'no-second-check'],
  ['flush', 'believes-redis'],
  ['restart-empty', 'believes-redis'],
  ['rollback', 'believes-redis'],
  ['failover', 'believes-redis'],
  ['partition', 'endless-stop'],
  ['stand-still', 'old-lease'],
  ['clock-jump', 'wall-clock'],
  ['second-source', 'any-source'],
  ['unmounted-store', 'any-disk'],
  ['deleted-store', 'any-disk'],
  ['unmounted-source', 'believes-empty'],
  ['other-mount', 'trusts-own-mount'],
  ['service-away', 'outage-is-failure'],
  ['wrong-address', 'endless-patience'],
  ['store-full', 'believes-writes'],
  ['store-read-only', 'forgets-answers'],
  ['store-hangs', 'endless-stop'],
  ['store-vanishes', 'fills-any-folder'],
  ['s3-hangs', 'endless-stop'],
  ['maintenance', 'gc-takes-young'],
  ['engine-killed', 'one-engine'],
  ['converter-missing', 'trusts-converters'],
  ['download-hangs', 'endless-stop'],
  ['double-signal', 'second-signal-cuts'],
  ['paused-commit', 'forgets-claims'],
  ['damaged-records', 'believes-records'],
  ['full-disk', 'log-throws'],
  ['blind-gc', 'gc-asks-no-ledger'],
  ['two-queues', 'shares-stores'],
  ['change', 'believes-portals'],
] as const satisfies readonly (readonly [FaultKind, keyof typeof MUTANTS])[]

export type Mutant = keyof typeof MUTANTS

export const isMutant = (name: string): name is Mutant => Object.hasOwn(MUTANTS, name)
