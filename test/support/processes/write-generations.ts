import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import type { JournalLimits } from '#src/outputs/folder/journal/journal.ts'
import { sourceKey } from '#src/document/ids.ts'
import { letterOf, outputs, receiptOf, recordOf } from '../documents.ts'
import { Random } from '../random.ts'

/*
 * A program: `write-generations.ts STORE SEED [JOURNAL]` writes a drawn number of documents side by side, generation after generation:
 * a receipt, now and then a dead letter, the outputs, now and then a removal. It reports to `log-writes.ts`, loaded before it,
 * what begins (`begins <key> <generation>`) and what is safe (`receipt`, `document`, `letter`, `removing`, `removed`).
 */

const [path = '', seed = '1', limits] = process.argv.slice(2)
const journal = limits === undefined ? {} : { journal: JSON.parse(limits) as JournalLimits }
const { reportToDisk } = globalThis as unknown as { readonly reportToDisk: (text: string) => void }
const random = new Random(Number(seed))
const store = await openFolderStore({ path, ...journal })
await store.maintenance.recover()

async function write(key: string, generations: number): Promise<void> {
  for (let generation = 1; generation <= generations; generation++) {
    reportToDisk(`begins ${key} ${generation}`)
    const text = `${key} ${generation} `
    await store.receipts.save(receiptOf(text), Buffer.from(text.repeat(50)), null)
    reportToDisk(`receipt ${key} ${generation}`)
    if (random.chance(0.2)) {
      await store.deadLetters.bury(letterOf(key, { attempts: generation }))
      reportToDisk(`letter ${key} ${generation}`)
    }
    const repeated = text.repeat(random.chance(0.05) ? 40_000 : 1 + random.below(200))
    const files = outputs({ 'document.md': repeated, [`only-${generation}.md`]: text })
    await store.documents.commit(recordOf(key, files, { attempts: generation }), files)
    reportToDisk(`document ${key} ${generation}`)
    if (!random.chance(0.1)) continue
    reportToDisk(`removing ${key} ${generation}`)
    await store.documents.remove(sourceKey(key))
    reportToDisk(`removed ${key} ${generation}`)
  }
}

const documents = 3 + random.below(10)
const keys = Array.from({ length: documents }, (_, at) => `${random.pick(['', 'a/', 'a/b/', 'Ü/'])}${at}.pdf`)
await Promise.all(keys.map((key) => write(key, 2 + random.below(5))))
if (random.chance(0.5)) await store[Symbol.asyncDispose]()
