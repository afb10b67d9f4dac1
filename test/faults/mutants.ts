/*
 * Mistakes that the campaign must find. They are planted into the text of a module as the program is bundled, so that
 * the program itself has no switch for them.
 */

export type Patch = readonly [file: string, from: string, to: string]

export const MUTANTS = {
  /** The answer is kept only after everything is derived from it. */
  'receipt-last': [
    [
      'src/ingest/buy-answer.ts',
      'await untilWritten(() => deps.store.saveReceipt(kept, verdict.answer.body, parser), key, deps, signal)',
      '',
    ],
    [
      'src/ingest/ingest-document.ts',
      'return commitAnswer(work, { ...purchase.answer',
      'return after(() => deps.store.saveReceipt(receipt, purchase.answer.body, parser), commitAnswer)(work, { ...purchase.answer',
    ],
    [
      'src/ingest/ingest-document.ts',
      'async function giveUp(',
      'const after = (save, commit) => async (...work) => { const end = await commit(...work); await save(); return end }\n' +
        'async function giveUp(',
    ],
  ],
  /** The record is written in place, and the outputs that it lists after it; in a folder and in a bucket. */
  'record-first': [
    [
      'src/outputs/folder-store.ts',
      'checkFiles(record, files)',
      `checkFiles(record, files)
    const { folder } = this.#place(record.key)
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await writeFlushed(join(folder, RECORD_FILE), toJson(record))
    for (const [name, bytes] of files) await writeFlushed(join(folder, name), bytes)
    await rm(this.#place(record.key).letter, { force: true })
    if (files.size >= 0) return`,
    ],
    [
      'src/outputs/s3-documents.ts',
      'await this.#putOutputs(folder, files)',
      `const early = await this.#putRecord(home, record, folder)
    await this.#putOutputs(folder, files)
    if (early !== null) await this.#sweep(home, folder, early.folder)
    if (files.size >= 0) return`,
    ],
  ],
  /** The ledger says that a document is done before it is. */
  'ledger-first': [
    [
      'src/ingest/commit-answer.ts',
      'await deps.store.commit(record, files)',
      `await deps.ledger.write([[work.job.key, { version: work.version, recipeHash: work.recipe.hash, outcome: record.outcome }]])
  await deps.store.commit(record, files)`,
    ],
  ],
} as const satisfies Record<string, readonly Patch[]>

export type Mutant = keyof typeof MUTANTS

export const isMutant = (name: string): name is Mutant => Object.hasOwn(MUTANTS, name)
