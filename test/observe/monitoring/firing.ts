import { readFile, rename } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import {
  findPrometheus,
  type PrometheusPrograms,
  type RunningPrometheus,
  startPrometheus,
} from '../../support/prometheus.ts'
import { killEachEngine } from '../../support/process-tree.ts'
import { errorReply, type ReceivedRequest } from '../../support/scripted-service.ts'
import type { RunningSluice } from '../../support/sluice.ts'
import { OwnRedis } from '../../outages/support/own-redis.ts'
import { Harness, type HarnessOptions } from '../../outages/support/harness.ts'
import { elapse, takes, until } from '../../support/wait.ts'

const RULES = resolve(import.meta.dirname, '../../../docs/monitoring/rules.yml')
const STORE_TROUBLE = resolve(import.meta.dirname, '../../campaign/preloads/store-trouble.ts')

/** The rules as they are, with hours and minutes made seconds. */
const SHORTER: readonly (readonly [RegExp, string])[] = [
  [/^ +for: .*$/gm, '        for: 0s'],
  [/\[1[05]m\]/g, '[10s]'],
  [/\[30m\]/g, '[60s]'],
  [/> (1800|86400|93600)$/gm, '> 4'],
  [/\[10s\]\)\)\) > 10$/gm, '[10s]))) > 0.2'],
]

const PATIENCE_MS = 90_000

async function shorterRules(): Promise<string> {
  let rules = await readFile(RULES, 'utf8')
  for (const [what, by] of SHORTER) {
    expect(rules).toMatch(what)
    rules = rules.replaceAll(what, by)
  }
  return rules
}

class Watched implements AsyncDisposable {
  readonly harness: Harness
  readonly running: RunningSluice
  readonly #resources: AsyncDisposableStack
  readonly #prometheus: RunningPrometheus

  private constructor(
    harness: Harness,
    running: RunningSluice,
    prometheus: RunningPrometheus,
    all: AsyncDisposableStack,
  ) {
    this.harness = harness
    this.running = running
    this.#prometheus = prometheus
    this.#resources = all
  }

  static async start(
    programs: PrometheusPrograms,
    options: HarnessOptions,
    flags: Readonly<Record<string, string | number | null>> = {},
    trouble: Readonly<Record<string, string>> | null = null,
  ): Promise<Watched> {
    await using resources = new AsyncDisposableStack()
    const harness = resources.use(await Harness.open(options))
    const redis = resources.use(await OwnRedis.start())
    const port = await freePort()
    const all = { 'redis-url': redis.url, 'metrics-port': port, 'stable-ms': 50, ...flags }
    const preload =
      trouble === null ? {} : { execArgv: ['--import', STORE_TROUBLE], env: { FAULT_STORE: harness.out, ...trouble } }
    const running = harness.start('watch', all, preload)
    const prometheus = resources.use(await startPrometheus(programs, { ports: [port], rules: await shorterRules() }))
    return new Watched(harness, running, prometheus, resources.move())
  }

  /** Takes the process out of what is scraped, as DNS does with a worker that ended. */
  forget(): Promise<void> {
    return this.#prometheus.retarget([])
  }

  /** Polls until the process was scraped once: `SluiceDown` is silent then. */
  async scraped(): Promise<void> {
    await this.#polled('it is scraped', async () => (await this.#prometheus.query('up == 1')).length > 0)
  }

  /** Polls until each of these has fired at least once. */
  async fire(...wanted: readonly string[]): Promise<void> {
    const missing = new Set(wanted)
    await this.#polled(`${wanted.join(', ')} fire`, async () => {
      for (const { name } of await this.#prometheus.alerts()) missing.delete(name)
      return missing.size === 0
    })
  }

  /** Polls until this one no longer fires. */
  async silent(wanted: string): Promise<void> {
    const fires = async (): Promise<boolean> => (await this.#prometheus.alerts()).some(({ name }) => name === wanted)
    await this.#polled(`${wanted} is silent`, async () => !(await fires()))
  }

  async #polled(what: string, holds: () => Promise<boolean>): Promise<void> {
    await until(what, PATIENCE_MS, holds).catch((error: unknown) => {
      throw new Error(this.running.stderr(), { cause: error })
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync()
  }
}

const programs = await findPrometheus()
if (typeof programs === 'string') console.warn(`alerts are not seen firing: ${programs}`)

describe.skipIf(typeof programs === 'string').concurrent('alerts fire for', () => {
  const found = programs as PrometheusPrograms

  test('a service without answers: stuck worker, no progress, old backlog, no scan', async () => {
    await using watched = await Watched.start(found, { documents: 2, reply: () => ({ fault: 'hang' }) })
    await watched.fire('SluiceWorkerStuck', 'SluiceNoProgress', 'SluiceBacklogOld', 'SluiceScanMissing')
  }, 240_000)

  test('limits that refuse, then damaged documents, then a broken service', async () => {
    let asked = 0
    const reply = () => {
      asked += 1
      if (asked <= 6) return { ...errorReply(429, 'Rate limit exceeded.'), headers: { 'retry-after': '1' } }
      return asked > 60 ? errorReply(500, 'Out of order.') : errorReply(422, 'Damaged.', { code: 'PARSE_FAILED' })
    }
    await using watched = await Watched.start(found, { documents: 0, reply })
    // What a process does before its first scrape is in no increase.
    await watched.scraped()
    for (let number = 0; number < 14; number++) await watched.harness.write(`${number}.html`, `<p>Number ${number}.`)
    await watched.fire('SluiceRefused', 'SluiceFailures')
    asked = 60
    await watched.harness.write('more.html', '<p>One more.')
    await watched.fire('SluiceServiceUnavailable')
  }, 300_000)

  test('an exhausted budget, until it ends', async () => {
    await using watched = await Watched.start(found, { documents: 4 }, { 'max-credits': 2 })
    await watched.fire('SluiceHalted')
  }, 240_000)

  test('a store that is full beyond its patience: unavailable store, ended process', async () => {
    let isFull = false
    const trouble = { FAULT_STORE_TROUBLE: 'full', FAULT_LASTS_MS: '3600000' }
    const reply = () => {
      // From the first answer on.
      if (!isFull) watched.running.child.kill('SIGUSR2')
      isFull = true
      return { delayMs: 500 }
    }
    const flags = { 'store-patience-ms': 6_000 }
    await using watched: Watched = await Watched.start(found, { documents: 3, reply }, flags, trouble)
    await watched.fire('SluiceStoreUnavailable')
    const { code, stdout, stderr } = await watched.running.finished
    // Part of the summary, or printed alone if the summary takes too long.
    expect([code, stdout + stderr]).toEqual([3, expect.stringMatching(/^(spooled|lost): \d paid answers? could/m)])
    await watched.fire('SluiceDown')
  }, 240_000)

  test('a store that is full during a request, with spooled answers in a scrape', async () => {
    let isFull = false
    const trouble = { FAULT_STORE_TROUBLE: 'full', FAULT_LASTS_MS: '3600000' }
    const reply = ({ file }: ReceivedRequest) => {
      if (!isFull) watched.running.child.kill('SIGUSR2')
      isFull = true
      return { delayMs: String(file?.content).startsWith('<p>0') ? 12_000 : 500 }
    }
    const flags = { 'store-patience-ms': 3_000 }
    await using watched: Watched = await Watched.start(found, { documents: 3, reply }, flags, trouble)
    await watched.fire('SluiceAnswersAtRisk')
    const { code, stdout, stderr } = await watched.running.finished
    expect([code, stdout + stderr]).toEqual([3, expect.stringMatching(/^spooled: \d paid answers? could/m)])
  }, 240_000)

  test('an embedded engine that is killed repeatedly, and stop when it works again', async () => {
    const flags = { 'parse-api-url': null, 'parse-api-key': null }
    await using watched = await Watched.start(found, { documents: 3 }, flags)
    await watched.scraped()
    using killing = killEachEngine(watched.running)
    await watched.fire('SluiceEngineDown')
    killing[Symbol.dispose]()
    await watched.silent('SluiceEngineDown')
  }, 240_000)

  test('the absence of the last worker after it ended', async () => {
    await using watched = await Watched.start(found, { documents: 1 })
    await watched.scraped()
    await watched.silent('SluiceAbsent')
    watched.running.child.kill('SIGTERM')
    await watched.running.finished
    await watched.forget()
    await watched.fire('SluiceAbsent')
  }, 240_000)

  test('a slow store that hangs for a while', async () => {
    const trouble = { FAULT_STORE_TROUBLE: 'hangs', FAULT_LASTS_MS: '6000' }
    await using watched = await Watched.start(found, { documents: 4 }, {}, trouble)
    await watched.harness.requested(4, watched.running)
    watched.running.child.kill('SIGUSR2')
    for (let number = 0; number < 8; number++) {
      await watched.harness.write(`more-${number}.html`, `<p>More ${number}.`)
      await takes(100)
    }
    await watched.fire('SluiceStoreSlow')
  }, 240_000)

  test('a source that cannot be read', async () => {
    await using watched = await Watched.start(found, { documents: 1 }, { 'rescan-ms': 2_000 })
    await watched.harness.requested(1, watched.running)
    await elapse(11_000, 'a source that fails sooner is taken for a mistake in the settings, and ends the process')
    await rename(watched.harness.source, join(watched.harness.source, '..', 'elsewhere'))
    await watched.fire('SluiceSourceUnavailable')
    await rename(join(watched.harness.source, '..', 'elsewhere'), watched.harness.source)
    await watched.silent('SluiceSourceUnavailable')
  }, 240_000)
})
