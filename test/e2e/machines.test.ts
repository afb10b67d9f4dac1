import { PutObjectCommand } from '@aws-sdk/client-s3'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { openS3Store } from '#src/outputs/s3/s3-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { collect } from '../support/documents.ts'
import { Line } from '../support/line.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startTestRedis } from '../support/redis.ts'
import { startS3Server } from '../support/s3-server.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { COMPILED, MAIN, sluice } from '../support/sluice.ts'
import { until } from '../support/wait.ts'
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'

const runProgram = promisify(execFile)

/** A program on a machine of its own. */
interface Machine {
  readonly name: string
  /** Resolves when it has said `text` on standard error; rejects when it ended without. */
  says(text: string): Promise<void>
  stderr(): string
  /** SIGKILL to everything that runs on the machine. */
  cutPower(): Promise<void>
}

/**
 * Machines as a test can have them: namespaces of Linux. Each has its own network, with one cable to the test, its own
 * process ids (a program is number 1 on every one of them) and its own host name. All reach the test at `hub`. They and
 * their cables are gone when their programs have ended.
 */
interface Machines extends AsyncDisposable {
  readonly kind: 'namespaces'
  readonly hub: string
  start(name: string, command: readonly string[], env: Readonly<Record<string, string>>): Promise<Machine>
}

interface NoMachines {
  readonly kind: 'unavailable'
  /** Why, for the name of a test that cannot run here. */
  readonly reason: string
}

async function openMachines(): Promise<Machines | NoMachines> {
  const machines = new NamespaceMachines()
  try {
    // The hub's address is there as long as one cable is in.
    await machines.start('idle', ['sleep', 'infinity'], {})
    return machines
  } catch (error) {
    return { kind: 'unavailable', reason: `network namespaces cannot be made here: ${String(error).split('\n')[0]}` }
  }
}

/** `$1` name, `$2` own address, `$3` the hub's; the rest is what to run once the cable is in. */
const BOOT = `
hostname "$1" && echo booted && read -r plugged
ip link set lo up && ip addr add "$2" peer "$3" dev cable && ip link set cable up
shift 3
exec "$@"
`

const NAMESPACES = ['--net', '--pid', '--fork', '--kill-child', '--uts', '--mount-proc']

class NamespaceMachines implements Machines {
  readonly kind = 'namespaces'
  readonly #net = `10.213.${randomInt(256)}`
  readonly #id = randomBytes(3).toString('hex')
  readonly #started: NamespaceMachine[] = []
  readonly hub = `${this.#net}.1`

  async start(
    name: string,
    command: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<NamespaceMachine> {
    const number = this.#started.length
    const address = `${this.#net}.${number + 2}`
    const cable = `slu${this.#id}n${number}`
    const child = spawn('unshare', [...NAMESPACES, 'sh', '-c', BOOT, 'sh', name, address, this.hub, ...command], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env,
    })
    const machine = new NamespaceMachine(name, child)
    this.#started.push(machine)
    await machine.booted
    await runProgram('ip', ['link', 'add', cable, 'type', 'veth', 'peer', 'name', 'cable', 'netns', String(child.pid)])
    await runProgram('ip', ['addr', 'add', this.hub, 'peer', address, 'dev', cable])
    await runProgram('ip', ['link', 'set', cable, 'up'])
    child.stdin.end('plugged\n')
    return machine
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#started.map((machine) => machine.cutPower()))
  }
}

class NamespaceMachine implements Machine {
  readonly name: string
  readonly booted: Promise<void>
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #closed: Promise<unknown>
  #stderr = ''

  constructor(name: string, child: ChildProcessByStdio<Writable, Readable, Readable>) {
    this.name = name
    this.#child = child
    this.#closed = once(child, 'close')
    child.stdin.on('error', () => undefined)
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text))
    this.booted = this.#before(once(child.stdout, 'data'))
    child.stdout.resume()
  }

  stderr(): string {
    return this.#stderr
  }

  async says(text: string): Promise<void> {
    while (!this.#stderr.includes(text)) await this.#before(once(this.#child.stderr, 'data'))
  }

  async cutPower(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL')
    await this.#closed
  }

  async #before(event: Promise<unknown>): Promise<void> {
    const ended = await Promise.race([event.then(() => false), this.#closed.then(() => true)])
    if (ended) throw new Error(`${this.name} ended: ${this.#stderr.trim()}`)
  }
}

const DOCUMENTS = 160
const WORKERS = 4
const CONCURRENCY = 6

const machines = await openMachines()
afterAll(async () => {
  if (machines.kind === 'namespaces') await machines[Symbol.asyncDispose]()
})
const s3 = machines.kind === 'namespaces' ? await startS3Server() : null

/** Where documents come from and go to, as every machine names it. */
interface Locations {
  readonly source: string
  readonly out: string
  readonly env: Readonly<Record<string, string>>
  readonly store: OutputStore
}

const names = Array.from({ length: DOCUMENTS }, (_, number) => `${number}.html`)
const text = (name: string): string => `<title>${name}</title><p>Gate ${name}.`

async function inBucket(hub: string, resources: AsyncDisposableStack): Promise<Locations> {
  if (s3?.kind !== 'ready') throw new Error('no S3')
  resources.use(s3)
  const { client } = s3
  const bucket = await s3.newBucket()
  for (const name of names) {
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: `in/${name}`, Body: text(name) }))
  }
  const there = resources.use(await Line.open(s3.endpoint, hub))
  return {
    source: `s3://${bucket}/in`,
    out: `s3://${bucket}/out`,
    env: {
      ...s3.env,
      SLUICE_S3_ENDPOINT: `http://${hub}:${there.port}`,
    },
    store: await openS3Store({ client, bucket, prefix: 'out' }),
  }
}

async function inFolder(folder: string): Promise<Locations> {
  const [source, out] = [join(folder, 'in'), join(folder, 'out')]
  await mkdir(source)
  for (const name of names) await writeFile(join(source, name), text(name))
  return { source, out, env: {}, store: await openFolderStore({ path: out }) }
}

/** Keys of the documents that a machine settled, from its own log. */
async function settledBy(stateDir: string): Promise<readonly string[]> {
  const log = await readFile(join(stateDir, 'sluice.log'), 'utf8')
  const lines = log.split('\n').filter((line) => line.includes('"document settled"'))
  return lines.map((line) => (JSON.parse(line) as { key: string }).key)
}

const KINDS = [
  { kind: 'a bucket', missing: s3?.kind === 'unavailable' ? s3.reason : null },
  { kind: 'a shared folder', missing: null },
] as const

for (const { kind, missing } of KINDS) {
  const reason = machines.kind === 'unavailable' ? machines.reason : missing
  const name = `four machines at work on ${kind}${reason === null ? '' : ` (skipped: ${reason})`}`
  describe.skipIf(reason !== null)(name, () => {
    test('share it fairly, do every document once, and take over the documents of one that loses power', async () => {
      if (machines.kind === 'unavailable') return
      await using resources = new AsyncDisposableStack()
      const folder = resources.use(await tempFolder())
      const redis = resources.use(await startTestRedis())
      const service = resources.use(await new ScriptedService({ answers: () => ({ delayMs: 150 }) }).listen())
      const { hub } = machines
      const redisPort = resources.use(await Line.open(redis.url, hub)).port
      const servicePort = resources.use(await Line.open(service.url, hub)).port
      const locations = kind === 'a bucket' ? await inBucket(hub, resources) : await inFolder(folder.path)
      const stateDir = (machine: string): string => join(folder.path, machine)
      const envOf = (machine: string): Record<string, string> => ({
        PATH: process.env['PATH'] ?? '',
        NODE_COMPILE_CACHE: COMPILED,
        HOME: stateDir(machine),
        REDIS_URL: `redis://${hub}:${redisPort}`,
        PARSE_API_URL: `http://${hub}:${servicePort}`,
        PARSE_API_KEY: 'test-key',
        SLUICE_OUT: locations.out,
        SLUICE_CONCURRENCY: String(CONCURRENCY),
        SLUICE_TAKEOVER_MS: '2000',
        SLUICE_STATE_DIR: stateDir(machine),
        ...locations.env,
      })
      const command = [process.execPath, '--disable-warning=ExperimentalWarning', MAIN, 'work', locations.source]
      const workers = await Promise.all(
        Array.from({ length: WORKERS }, (_, number) => `machine-${number}`).map((machine) =>
          machines.start(machine, command, envOf(machine)),
        ),
      )
      resources.defer(async () => void (await Promise.all(workers.map((worker) => worker.cutPower()))))
      await Promise.all(workers.map((worker) => worker.says('working on')))

      // The fifth lists, works along with one document at a time, and ends when all are done.
      const env = { ...envOf('lister'), SLUICE_CONCURRENCY: '1' }
      const run = sluice(['run', locations.source], { env })
      await until('a good part is done', 60_000, () => service.charged > DOCUMENTS / 4)
      await workers[0]?.cutPower()
      const { code, stderr, stdout } = await run
      expect(code, stderr).toBe(0)

      const records = (await collect(locations.store.documents.list(new AbortController().signal))).map(
        ({ key }) => key,
      )
      expect(records.toSorted()).toEqual(names.toSorted())
      const shares = await Promise.all(
        [...workers.map(({ name: machine }) => machine), 'lister'].map((machine) => settledBy(stateDir(machine))),
      )
      // What the dead machine had settled is settled again where its power went before the job had ended.
      const settled = shares.slice(1).flat()
      expect(settled).toEqual([...new Set(settled)])
      // Nothing is paid twice but what the dead machine had asked for and got no answer to, and that is reported.
      const paidTwice = service.charged - DOCUMENTS
      expect(paidTwice).toBeGreaterThanOrEqual(0)
      expect(paidTwice).toBeLessThanOrEqual(CONCURRENCY)
      if (paidTwice > 0) expect(stdout).toMatch(/^ambiguous: /m)
      const survivors = shares.slice(1, WORKERS).map((keys) => keys.length)
      expect(Math.min(...survivors), `shares ${shares.map((keys) => keys.length).join(', ')}`).toBeGreaterThan(
        Math.max(...survivors) / 2,
      )
    }, 240_000)
  })
}
