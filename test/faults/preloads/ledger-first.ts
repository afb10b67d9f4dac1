import { patchSource } from './patch-source.ts'

/** A mutant: the ledger says that a document is done before it is. */
patchSource('src/ingest/commit-answer.ts', [
  [
    'await deps.store.commit(record, files)',
    `await deps.ledger.write([[work.job.key, { version: work.version, recipeHash: work.recipe.hash, outcome: record.outcome }]])
  await deps.store.commit(record, files)`,
  ],
])
