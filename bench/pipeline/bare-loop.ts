/**
 * The baseline for Sluice: a loop with 50 in flight that reads a file, posts it with undici and writes what Sluice
 * writes (receipt, Markdown, record). It has no queue, no retries and no checkpoint. argv: service url, source folder,
 * output folder, and how it writes: `durable` as a program must that may lose no paid result (temporary name, flush,
 * rename, flush of the folder), `plain` with a bare `writeFile`.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Pool } from 'undici'
import { cpuMs } from './cpu-time.ts'

const [url = '', source = '', out = '', how = 'durable'] = process.argv.slice(2)
const IN_FLIGHT = 50
const BOUNDARY = 'bare-loop-boundary'
const compress = promisify(gzip)
const pool = new Pool(url, { connections: IN_FLIGHT })
const names = await readdir(source)
await mkdir(join(out, 'receipts'), { recursive: true })

async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.tmp`
  await writeFile(temporary, content, { flush: true })
  await rename(temporary, path)
  const folder = await open(dirname(path), 'r')
  await folder.sync()
  await folder.close()
}

const write: (path: string, content: string | Uint8Array) => Promise<void> = how === 'plain' ? writeFile : writeDurably

async function ingest(name: string): Promise<void> {
  const bytes = await readFile(join(source, name))
  const hash = createHash('sha256').update(bytes).digest('hex')
  const body = Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${hash}.html"\r\n\r\n`),
    bytes,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, authorization: 'Bearer none' }
  const response = await pool.request({ path: '/v2/parse', method: 'POST', headers, body })
  const answer = Buffer.from(await response.body.arrayBuffer())
  const { data } = JSON.parse(answer.toString('utf8')) as { data: { markdown: string; metadata: object } }
  const folder = join(out, 'documents', name)
  await mkdir(folder, { recursive: true })
  await write(join(out, 'receipts', `${hash}.json.gz`), await compress(answer, { level: 1 }))
  await write(join(folder, 'document.md'), data.markdown)
  await write(join(folder, 'record.json'), JSON.stringify({ key: name, contentHash: hash, ...data.metadata }))
}

const startedAt = performance.now()
const cpuAtStart = cpuMs()
let next = 0
await Promise.all(
  Array.from({ length: IN_FLIGHT }, async () => {
    for (let name = names[next++]; name !== undefined; name = names[next++]) await ingest(name)
  }),
)
const seconds = (performance.now() - startedAt) / 1000
await pool.close()
process.stdout.write(
  `${JSON.stringify({ seconds, docs_per_s: names.length / seconds, cpu_ms_per_doc: (cpuMs() - cpuAtStart) / names.length })}\n`,
)
