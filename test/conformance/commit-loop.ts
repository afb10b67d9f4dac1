import { sourceKey } from '#src/document/ids.ts'
import { letterOf, outputs, receiptOf, recordOf } from '../support/documents.ts'
import { openStoreAt, type StoreAddress } from '../support/open-store-at.ts'

/*
 * A program to be killed: `commit-loop.ts ADDRESS FROM` writes generation after generation of five documents, several at
 * once, and says on its standard output what is safe by then: `document <key> <generation>`, `receipt <generation>`,
 * `letter <key> <generation>`; and `removing <key> <generation>` before it removes one.
 */
const [address = '', from = '0'] = process.argv.slice(2)
const store = await openStoreAt(JSON.parse(address) as StoreAddress)
await store.maintenance.recover()

const say = (line: string): boolean => process.stdout.write(`${line}\n`)

async function loop(key: string): Promise<never> {
  for (let generation = Number(from); ; generation++) {
    const answer = `answer ${key} ${generation} `.repeat(500)
    await store.receipts.save(receiptOf(`${key} ${generation}`), Buffer.from(answer), null)
    say(`receipt ${key} ${generation}`)
    if (generation % 3 === 0) {
      await store.deadLetters.bury(letterOf(key, { attempts: generation }))
      say(`letter ${key} ${generation}`)
    }
    const files = outputs({
      'document.md': `${key} ${generation} `.repeat(1000),
      [`only-${generation}.md`]: `${generation}`,
    })
    await store.documents.commit(recordOf(key, files, { attempts: generation }), files)
    say(`document ${key} ${generation}`)
    if (generation % 7 !== 0) continue
    say(`removing ${key} ${generation}`)
    await store.documents.remove(sourceKey(key))
  }
}

await Promise.all(['a.pdf', 'b/c.pdf', 'b/d.pdf', 'Ü/e.pdf', 'README'].map(loop))
