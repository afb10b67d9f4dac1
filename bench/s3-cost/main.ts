/**
 * npm run bench:s3-cost -- [--documents 20] [--flags='--s3-inline-kb 256'] [--only run,verify] [--kinds pdf]
 *
 * Requests to a bucket for each document, by phase, and what a million documents cost by the price list that is printed:
 * whole commands of the launcher on a real object store (radosgw), from a bucket into a bucket, counted by a proxy in
 * between. `--flags` go with each `run`. Each command runs on n and on 3 n documents, and the difference is
 * divided by the documents, so that what a command costs by itself drops out. Last line: JSON.
 */
import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { openS3Client } from '#src/s3/client.ts'
import { buildPdf, text } from '../../test/support/build-pdf.ts'
import { startS3Server } from '../../test/support/s3-server.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { startCountingProxy } from './counting-proxy.ts'
import { type Counts, dollars, PRICES, SOURCE, STORE } from './phases.ts'
import { startService } from './service.ts'

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '20' },
    flags: { type: 'string', default: '' },
    only: { type: 'string' },
    kinds: { type: 'string', default: 'pdf,html' },
  },
})
const FEW = Number(values.documents)
const FLAGS = values.flags.split(' ').filter((flag) => flag !== '')
const ONLY = values.only?.split(',')
const LAUNCHER = resolve(import.meta.dirname, '../../sluice')
const run = promisify(execFile)

/** What makes one more document of a kind. */
const KINDS = {
  pdf: (number: number) => buildPdf([{ content: text(72, 72, `Document ${number}`) }]),
  html: (number: number) => Buffer.from(`<!doctype html><title>${number}</title><p>Document ${number}</p>`),
}

/** Of one source and store. */
const commandsOf = (source: string, out: string): Readonly<Record<string, readonly string[]>> => ({
  run: ['run', source, '--out', out, ...FLAGS],
  'run, nothing changed': ['run', source, '--out', out, ...FLAGS],
  plan: ['plan', source, '--out', out],
  verify: ['verify', '--out', out],
  'verify --rebuild': ['verify', source, '--out', out, '--rebuild'],
  'gc --dry-run': ['gc', '--out', out, '--dry-run'],
  'export --chunks': ['export', '--chunks', '--out', out, '--to', 'chunks'],
})

await using resources = new AsyncDisposableStack()
await using service = await startService()
const parseApiUrl = service.url
const server = await startS3Server()
if (server.kind === 'unavailable') throw new Error(server.reason)
resources.use(server)
const proxy = resources.use(await startCountingProxy(server.endpoint))
const { accessKeyId, secretAccessKey } = server
const client = openS3Client({ endpoint: server.endpoint, accessKeyId, secretAccessKey })
resources.defer(() => client.destroy())
console.log(`prices: ${PRICES.name}: ${PRICES.writes} $ for 1,000 PUT, POST, LIST; ${PRICES.reads} $ for 1,000 GET\n`)
const forMillion: Record<string, Readonly<Record<string, number>>> = {}
for (const [kind, make] of Object.entries(KINDS)) {
  if (!values.kinds.split(',').includes(kind)) continue
  const few = await counted(make, FEW, `${kind}-few`)
  const many = await counted(make, 3 * FEW, `${kind}-many`)
  forMillion[kind] = report(kind, few, many)
}
console.log(JSON.stringify({ bench: 's3-cost', prices: PRICES.name, flags: FLAGS, dollarsForMillion: forMillion }))

/** Requests of each command on buckets of their own. */
async function counted(
  make: (number: number) => Buffer,
  documents: number,
  name: string,
): Promise<ReadonlyMap<string, Counts>> {
  const [source, out] = [`${SOURCE}-${name}`, `${STORE}-${name}`]
  await using folder = await tempFolder()
  // Filled past the proxy.
  for (const Bucket of [source, out]) await client.send(new CreateBucketCommand({ Bucket }))
  for (let number = 0; number < documents; number++) {
    const Key = `${number}.${name.split('-')[0]}`
    await client.send(new PutObjectCommand({ Bucket: source, Key, Body: make(number) }))
  }
  const counts = new Map<string, Counts>()
  for (const [command, words] of Object.entries(commandsOf(`s3://${source}`, `s3://${out}`))) {
    if (ONLY !== undefined && !ONLY.includes(command)) continue
    await run(LAUNCHER, words, {
      cwd: folder.path,
      env: {
        ...process.env,
        XDG_STATE_HOME: join(folder.path, 'state'),
        PARSE_API_URL: parseApiUrl,
        PARSE_API_KEY: 'none',
        SLUICE_S3_ENDPOINT: proxy.endpoint,
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
      },
    })
    counts.set(command, proxy.take())
  }
  return counts
}

function report(
  kind: string,
  few: ReadonlyMap<string, Counts>,
  many: ReadonlyMap<string, Counts>,
): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const [command, counts] of many) {
    const before = few.get(command)
    const perDocument = [...counts]
      .map(([phase, count]) => [phase, (count - (before?.get(phase) ?? 0)) / (2 * FEW)] as const)
      .filter(([, each]) => each > 0)
      .toSorted(([one], [other]) => one.localeCompare(other))
    const sum = perDocument.reduce((all, [phase, each]) => all + dollars(phase, each * 1e6), 0)
    sums[command] = Math.round(sum * 100) / 100
    const phases = perDocument.map(([phase, each]) => `${phase} ${Math.round(each * 100) / 100}`).join(', ')
    console.log(`${kind}, ${command}: ${sum.toFixed(2)} $ for a million; for each document ${phases || 'none'}`)
  }
  return sums
}
