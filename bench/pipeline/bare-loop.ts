/**
 * The baselines for Sluice: 50 in flight, each of which reads a file, posts it with undici and writes what Sluice writes (receipt,
 * Markdown, record). There are no retries and no limiter. argv: service url, source folder, output folder, and how:
 *
 * - `durable`: writes as a program must that may lose no paid result (temporary name, flush, rename, flush of the folder)
 * - `queued`: the same, and each file is a job of BullMQ in a private Redis
 * - `plain`: writes with a bare `writeFile`, and has no checkpoint
 */
import { Queue, Worker } from 'bullmq'
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Pool } from 'undici'
import { openEmbeddedRedis } from '#src/redis/private-server/private-redis.ts'

const [url = '', source = '', out = '', how = 'durable'] = process.argv.slice(2)
const IN_FLIGHT = 50
const BATCH = 1_000
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

async function ingestAll(): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let name = names[next++]; name !== undefined; name = names[next++]) await ingest(name)
    }),
  )
}

async function ingestQueued(): Promise<void> {
  const cacheDir = join(homedir(), '.cache/sluice')
  await using redis = await openEmbeddedRedis({ dataDir: join(out, 'redis'), cacheDir })
  const connection = { path: redis.url, maxRetriesPerRequest: null }
  const queue = new Queue('files', { connection })
  for (let from = 0; from < names.length; from += BATCH) {
    await queue.addBulk(names.slice(from, from + BATCH).map((name) => ({ name: 'ingest', data: { name } })))
  }
  const ended = Promise.withResolvers<void>()
  let left = names.length
  const worker = new Worker<{ name: string }>('files', ({ data }) => ingest(data.name), {
    connection,
    concurrency: IN_FLIGHT,
    removeOnComplete: { count: 0 },
  })
  worker.on('completed', () => --left === 0 && ended.resolve())
  worker.on('failed', (_job, error) => ended.reject(error))
  await ended.promise
  await Promise.all([worker.close(), queue.close()])
}

await (how === 'queued' ? ingestQueued() : ingestAll())
await pool.close()
