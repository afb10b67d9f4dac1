import { parseOptionsSchema } from '@sluice/contract'
import { contentHash, sourceKey } from '#src/document/ids.ts'
import { HttpParser } from '#src/parse/http-parser.ts'
import { openFolderSource } from '#src/sources/folder/folder-source.ts'

/*
 * Usage: upload-large.ts URL FOLDER TIMES. Sends the folder's small.pdf, then its large.pdf that many times at once, and
 * prints one line `grew {"verdicts": […], "bytes": n}`: by how much its own resident memory grew at the most meanwhile.
 */

const [url = '', path = '', times = ''] = process.argv.slice(2)
const never = new AbortController().signal
const source = openFolderSource({ path })
await using parser = new HttpParser({
  baseUrl: new URL(url),
  apiKey: null,
  concurrency: Number(times),
  userAgent: 'test',
})

async function upload(name: string): Promise<string> {
  const opened = await source.open(sourceKey(name), never)
  if ('message' in opened) throw new Error(opened.message)
  await using document = opened
  const verdict = await parser.parse(
    {
      contentHash: contentHash('0'.repeat(64)),
      extension: 'pdf',
      bytes: document.bytes,
      read: (signal) => document.read(signal),
      options: parseOptionsSchema.parse({}),
    },
    never,
  )
  return verdict.kind
}

// The first request loads what every later one uses.
await upload('small.pdf')
const before = process.memoryUsage.rss()
let peak = before
const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5)
const verdicts = await Promise.all(Array.from({ length: Number(times) }, () => upload('large.pdf')))
clearInterval(watch)
console.log(`grew ${JSON.stringify({ verdicts, bytes: peak - before })}`)
