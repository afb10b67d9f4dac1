import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { letterOf, outputs, receiptOf, recordOf } from '../documents.ts'

/* A program: `fill-store.ts FOLDER` makes a store with one receipt, one document and its replacement, and one dead letter. */

const store = await openFolderStore({ path: process.argv[2] ?? '' })
await store.maintenance.probe()
await store.receipts.save(receiptOf('a'), Buffer.from('a'), null)
for (const text of ['one', 'two']) {
  const files = outputs({ 'document.md': text })
  await store.documents.commit(recordOf('a/b/c.pdf', files), files)
}
await store.deadLetters.bury(letterOf('d/e.pdf'))
