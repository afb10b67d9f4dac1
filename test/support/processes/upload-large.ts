import { createReadStream } from 'node:fs'
import { parseOptionsSchema } from '#src/contract/options.ts'
import { contentHash } from '#src/document/ids.ts'
import { HttpParser } from '#src/parse/http-parser.ts'

/*
 * Usage: upload-large.ts URL FILE BYTES TIMES. Sends the file that many times at once and prints one line
 * `grew {"verdicts": […], "bytes": n}`: by how much its own resident memory grew at the most meanwhile.
 */

const [url = '', file = '', bytes = '', times = ''] = process.argv.slice(2)
await using parser = new HttpParser({
  baseUrl: new URL(url),
  apiKey: null,
  concurrency: Number(times),
  userAgent: 'test',
})
const never = new AbortController().signal
const request = {
  contentHash: contentHash('0'.repeat(64)),
  extension: 'pdf',
  bytes: Number(bytes),
  read: () => createReadStream(file) as AsyncIterable<Uint8Array>,
  options: parseOptionsSchema.parse({}),
} as const

// The first request loads what every later one uses.
await parser.parse({ ...request, bytes: 1000, read: () => createReadStream(file, { end: 999 }) }, never)
const before = process.memoryUsage.rss()
let peak = before
const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5)
const verdicts = await Promise.all(Array.from({ length: Number(times) }, () => parser.parse(request, never)))
clearInterval(watch)
console.log(`grew ${JSON.stringify({ verdicts: verdicts.map(({ kind }) => kind), bytes: peak - before })}`)
