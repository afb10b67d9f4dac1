import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type ContainerEngine, findEngine, startDaemon } from './engine.ts'
import { Stack } from './stack.ts'

/*
 * `npm run test:containers`: builds the image and runs docker-compose.yml as a user would, on a real container engine.
 * Prints one line a check, and "skipped: …" where no engine works. Everything that it starts goes at the end.
 */

const ROOT = resolve(import.meta.dirname, '../..')
const SAMPLES = join(ROOT, 'samples')

/** Documents of the restart step: so many, and so large, that converting them takes longer than three restarts. */
const MANY = 2_500
const ROWS = 6_000

await testWithAnyEngine()

/** With the engine that runs here, else with a daemon that is started for this test and ended with it. */
async function testWithAnyEngine(): Promise<void> {
  const running = await findEngine()
  if (typeof running !== 'string') return testWith(running)
  const daemon = await startDaemon()
  if (typeof daemon === 'string') return console.log(`skipped: no container engine: ${running}; ${daemon}`)
  await using own = daemon
  const engine = await findEngine({ DOCKER_HOST: own.host })
  if (typeof engine === 'string') return console.log(`skipped: no container engine: ${engine}`)
  await testWith(engine)
}

async function testWith(runtime: ContainerEngine): Promise<void> {
  console.log(await runtime.version())
  const folder = await mkdtemp(join(tmpdir(), 'sluice-containers-'))
  const stack = new Stack(runtime, `sluice-test-${process.pid}`)
  try {
    await step('the base images are there, from the registry or built here', () => baseImages(runtime))
    await step('the image builds', () => runtime.must(['build', '--tag', 'sluice', '.']))
    const before = await stack.volumes()
    await step('compose starts Redis, the engine and two workers, all healthy', () => stack.up())
    await step('no container runs as root, with capabilities or a writable root file system', () => stack.hardened())
    await step('one pass converts 22 of 22 samples', () => stack.convertsSamples())
    await step('a second pass sends nothing', () => stack.unchanged())
    await step('own DOCUMENTS and STORE are converted beside running workers', () => ownFolders(stack, folder))
    await step('a run goes on while worker, Redis and engine restart', () => restarts(stack, folder))
    await step('metrics are scraped from another container', () => stack.scrapes())
    await step('the health check finds a process that is stopped', () => stack.findsStuckProcess())
    await step('a run in one container without a network fetches nothing', () => offline(runtime, folder))
    await step('nothing is left: no container, network or anonymous volume', () => stack.leavesNothing(before))
  } finally {
    await stack.down()
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

async function step(title: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  const seconds = (): string => `${((performance.now() - began) / 1000).toFixed(1)} s`
  try {
    const said = await work()
    const note = typeof said === 'string' && said.length < 120 && said.trim() !== '' ? `: ${said.trim()}` : ''
    console.log(`ok      ${title} (${seconds()})${note}`)
  } catch (error) {
    console.log(`FAILED  ${title} (${seconds()})\n${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}

async function baseImages({ name, env }: ContainerEngine): Promise<void> {
  const child = spawn('sh', [join(ROOT, 'scripts/containers/base-images.sh'), name], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`base-images.sh ended with ${code}`)
}

async function ownFolders(stack: Stack, folder: string): Promise<string> {
  const documents = join(folder, 'papers')
  const store = join(folder, 'corpus')
  await mkdir(documents)
  await mkdir(store)
  await chmod(store, 0o777)
  const names = ['annual-report.pdf', 'lock-faq.htm', 'boat-passages.csv', 'winter-works.pptx']
  for (const name of names) await cp(join(SAMPLES, name), join(documents, name))
  await stack.run({ DOCUMENTS: documents, STORE: store })
  const made = await readdir(join(store, 'documents'))
  if (made.length !== names.length) throw new Error(`${made.length} of ${names.length} documents: ${made.join(', ')}`)
  return `${made.length} of ${names.length} documents in the own store`
}

/** The stack has these folders now: workers and run are one pipeline. */
async function restarts(stack: Stack, folder: string): Promise<string> {
  const documents = join(folder, 'many')
  const store = join(folder, 'many-parsed')
  await mkdir(documents)
  await mkdir(store)
  await chmod(store, 0o777)
  for (let number = 0; number < MANY; number += 1) {
    const rows = Array.from(
      { length: ROWS },
      (_, row) => `${number},${row},${(row * 7919 + number) % 10_007},row ${row} of table ${number}`,
    )
    await writeFile(join(documents, `table-${number}.csv`), `table,row,value,text\n${rows.join('\n')}\n`)
  }
  const env = { DOCUMENTS: documents, STORE: store }
  await stack.up(env)
  const done = async (): Promise<number> =>
    (await readdir(join(store, 'documents'), { recursive: true }).catch(() => [])).filter((path) =>
      path.endsWith('/record.json'),
    ).length
  return stack.survivesRestarts(env, MANY, done)
}

/** No Redis, no engine and no network: all is in the image. */
async function offline(runtime: ContainerEngine, folder: string): Promise<string> {
  const store = join(folder, 'offline')
  await mkdir(store)
  await chmod(store, 0o777)
  const mounts = ['--volume', `${SAMPLES}:/documents:ro`, '--volume', `${store}:/store`]
  const limits = ['--read-only', '--cap-drop', 'ALL', '--tmpfs', '/tmp', '--tmpfs', '/state:uid=1000,gid=1000']
  await runtime.must([
    'run',
    '--rm',
    '--network',
    'none',
    ...limits,
    ...mounts,
    'sluice',
    'run',
    '/documents',
    '--out',
    '/store',
  ])
  return `${(await readdir(join(store, 'documents'))).length} documents`
}
