/**
 * npm run bench:redis-calls -- [--files 300] [--concurrency 10,50,200]
 *
 * What a document costs in Redis: script calls, commands inside of scripts and processor time of the server, by
 * `INFO commandstats`, with so many documents in flight. The worker runs over n and over 3 n files, and the difference is
 * divided by the files, so that what a start costs drops out. A figure that grows with the documents in flight is a
 * fault. Last line: JSON.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs, promisify } from 'node:util'
import { startTestRedis, type TestRedis } from '../../test/support/redis.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'

const { values } = parseArgs({
  options: { files: { type: 'string', default: '300' }, concurrency: { type: 'string', default: '10,50,200' } },
})
const FILES = Number(values.files)
const run = promisify(execFile)
const here = (name: string): string => join(import.meta.dirname, name)

interface Calls {
  readonly scripts: number
  readonly commands: number
  readonly cpuUs: number
}

await using resources = new AsyncDisposableStack()
const folder = resources.use(await tempFolder())
const service = spawn(process.execPath, [here('instant-service.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
resources.defer(() => void service.stdin.end())
const [line] = (await once(createInterface({ input: service.stdout }), 'line')) as [string]
const { url } = JSON.parse(line) as { url: string }

const measured: (Calls & { readonly concurrency: number })[] = []
for (const concurrency of values.concurrency.split(',').map(Number)) {
  const few = await callsOf(FILES, concurrency)
  const many = await callsOf(3 * FILES, concurrency)
  const each = (of: keyof Calls): number => Math.round(((many[of] - few[of]) / (2 * FILES)) * 100) / 100
  measured.push({ concurrency, scripts: each('scripts'), commands: each('commands'), cpuUs: each('cpuUs') })
  console.log(
    `${concurrency} in flight: ${each('scripts')} script calls a document, ${each('commands')} commands in all, ${each('cpuUs')} µs of Redis`,
  )
}
console.log(JSON.stringify({ bench: 'redis-calls', files: FILES, perDocument: measured }))

/** Of a whole run in a Redis of its own. */
async function callsOf(files: number, concurrency: number): Promise<Calls> {
  await using redis = await startTestRedis()
  const source = join(folder.path, `source-${files}`)
  await mkdir(source, { recursive: true })
  for (let number = 0; number < files; number++) {
    await writeFile(join(source, `${number}.html`), `<!doctype html><title>${number}</title><p>Text</p>`)
  }
  const out = join(folder.path, `out-${files}-${concurrency}`)
  const before = await statsOf(redis)
  await run('sh', [
    here('../../scripts/run-node.sh'),
    here('sluice-run.ts'),
    url,
    source,
    out,
    String(concurrency),
    JSON.stringify({ redisUrl: redis.url }),
  ])
  const after = await statsOf(redis)
  return {
    scripts: after.scripts - before.scripts,
    commands: after.commands - before.commands,
    cpuUs: after.cpuUs - before.cpuUs,
  }
}

async function statsOf({ connection }: TestRedis): Promise<Calls> {
  const stats = await connection.info('commandstats')
  const cpu = await connection.info('cpu')
  const rows = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)]
  const seconds = ['user', 'sys'].map((kind) => Number(new RegExp(`^used_cpu_${kind}:([\\d.]+)`, 'm').exec(cpu)?.[1]))
  return {
    scripts: rows
      .filter(([, name]) => name === 'evalsha' || name === 'eval')
      .reduce((sum, [, , calls]) => sum + Number(calls), 0),
    commands: rows.reduce((sum, [, , calls]) => sum + Number(calls), 0),
    cpuUs: seconds.reduce((sum, each) => sum + each, 0) * 1e6,
  }
}
