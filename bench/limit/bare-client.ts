import { mkdir, readdir } from 'node:fs/promises'
import pLimit from 'p-limit'
import { postDocument } from '../support/post-document.ts'

/*
 * node bench/limit/bare-client.ts <url> <folder in> <folder out> <requests at once>
 *
 * A loop that only reads, posts and writes: the upper bound that this machine sets for every client.
 */

const [apiUrl = '', source = '', out = '', atOnce = ''] = process.argv.slice(2)
const limit = pLimit(Number(atOnce))
await mkdir(out, { recursive: true })
const statuses = await Promise.all(
  (await readdir(source)).map((name) => limit(async () => (await postDocument(apiUrl, source, name, out)).status)),
)
console.log(`lost ${statuses.filter((status) => status !== 200).length}`)
