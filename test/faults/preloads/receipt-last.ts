import { patchSource } from './patch-source.ts'

/** A mutant: the answer is kept only after everything is derived from it. */
patchSource('src/ingest/buy-answer.ts', [
  ['await untilWritten(() => deps.store.saveReceipt(id, verdict.answer.body), key, deps, signal)', ''],
])
patchSource('src/ingest/ingest-document.ts', [
  [
    "case 'bought':\n      return commitAnswer(",
    "case 'bought':\n      return after(() => deps.store.saveReceipt(id, purchase.answer.body), commitAnswer)(",
  ],
  [
    'async function giveUp(',
    'const after = (save, commit) => async (...work) => { const end = await commit(...work); await save(); return end }\n' +
      'async function giveUp(',
  ],
])
