import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { readStore, type StoreView } from '../../support/check-store.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { parsedReply, type ReceivedRequest, type Reply, ScriptedService } from '../../support/scripted-service.ts'
import { type Finished, type RunningSluice, startSluice } from '../../support/sluice.ts'

export interface HarnessOptions {
  /** Documents in the source: `0.html`, `1.html`, …, no two alike. */
  readonly documents: number
  /** How a request is answered; its document's own text unless this says otherwise. */
  readonly reply?: (request: ReceivedRequest) => Reply
  /** Bytes of a document, which are those of its Markdown too. */
  readonly bytes?: number
}

export interface StartOptions {
  /** Modules of `preloads/` that the process loads first. */
  readonly preloads?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Flags of Node. */
  readonly execArgv?: readonly string[]
  /** What starts the launcher of the checkout instead of Node: `nohup`. */
  readonly under?: string
  /** Another source than the harness's own. */
  readonly source?: string
}

/** True for a flag without a value; null leaves out a flag that the harness sets otherwise. */
type Flags = Readonly<Record<string, string | number | true | null>>

/** What the Markdown of a document is: any mixture of two documents shows in it. */
export const textOf = (content: Uint8Array): string => `# Parsed\n\n${Buffer.from(content).toString('latin1')}\n`

/** Test harness: a source, a store, a service that charges, and the real program between them in its own processes. */
export class Harness implements AsyncDisposable {
  readonly source: string
  readonly out: string
  readonly service: ScriptedService
  readonly log: string
  readonly #resources: AsyncDisposableStack
  readonly #living = new Set<RunningSluice>()

  private constructor(folder: string, service: ScriptedService, resources: AsyncDisposableStack) {
    this.source = join(folder, 'in')
    this.out = join(folder, 'out')
    this.log = join(folder, 'log')
    this.service = service
    this.#resources = resources
  }

  static async open({ documents, reply, bytes = 200 }: HarnessOptions): Promise<Harness> {
    await using resources = new AsyncDisposableStack()
    const folder = resources.use(await tempFolder())
    const answers = (request: ReceivedRequest): Reply => ({
      ...parsedReply(textOf(request.file?.content ?? Buffer.alloc(0))),
      ...reply?.(request),
    })
    const service = resources.use(await new ScriptedService({ answers }).listen())
    const harness = new Harness(folder.path, service, resources.move())
    await mkdir(harness.source)
    await mkdir(harness.out)
    for (let number = 0; number < documents; number++) await harness.write(`${number}.html`, documentOf(number, bytes))
    return harness
  }

  async write(key: string, content: string | Buffer): Promise<void> {
    await writeFile(join(this.source, key), content)
  }

  start(
    command: 'run' | 'work' | 'retry' | 'watch',
    flags: Flags = {},
    { preloads = [], execArgv = [], env = {}, source = this.source, under }: StartOptions = {},
  ): RunningSluice {
    const settings: Flags = {
      out: this.out,
      'log-file': this.log,
      'parse-api-url': this.service.url,
      'parse-api-key': 'key',
      ...flags,
    }
    const given = Object.entries(settings).filter(([, value]) => value !== null)
    const args = [
      command,
      source,
      ...given.map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`)),
    ]
    const running = startSluice(args, {
      env,
      ...(under === undefined ? {} : { under }),
      execArgv: [
        ...execArgv,
        ...preloads.flatMap((module) => ['--import', join(import.meta.dirname, '../preloads', module)]),
      ],
    })
    this.#living.add(running)
    void running.finished.then(() => this.#living.delete(running))
    return running
  }

  run(flags: Flags = {}, options: StartOptions = {}): Promise<Finished> {
    return this.start('run', flags, options).finished
  }

  /** Resolves when the service has had this many requests, or when the process has ended. */
  async requested(count: number, running: RunningSluice): Promise<void> {
    while (this.service.requests.length < count && this.#living.has(running)) await sleep(5)
  }

  async pause(): Promise<void> {
    await sleep(50)
  }

  read(): Promise<StoreView> {
    return readStore(this.out)
  }

  /** Every document is in the store with its own text, and each was paid for once. */
  async expectAllPaidOnce(documents: number): Promise<StoreView> {
    const store = await this.read()
    expect([...store.letters.values()].map(({ key, failure }) => [key, failure])).toEqual([])
    expect(store.records.size).toBe(documents)
    for (const [key, at] of store.folders) {
      const content = await readFile(join(this.source, key))
      expect(store.records.get(key)?.contentHash, key).toBe(createHash('sha256').update(content).digest('hex'))
      expect(await readFile(join(at, 'document.md'), 'utf8'), key).toBe(textOf(content))
    }
    expect(
      [...this.service.charges.values()].filter((times) => times > 1),
      await this.#errors(),
    ).toEqual([])
    expect(this.service.charged).toBe(documents)
    return store
  }

  /** What the processes logged as errors, to diagnose a failed test. */
  async #errors(): Promise<string> {
    const log = await readFile(this.log, 'utf8').catch(() => '')
    return log
      .split('\n')
      .filter((line) => line.includes('"level":"error"') && !line.includes('StoreUnusable'))
      .join('\n')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const living = [...this.#living]
    for (const { child } of living) child.kill('SIGKILL')
    await Promise.all(living.map(({ finished }) => finished))
    await this.#resources.disposeAsync()
  }
}

/** Text that does not compress, so that a small disk fills as the sizes say. */
function documentOf(number: number, bytes: number): string {
  let text = `<p>${number} `
  for (let part = 0; text.length < bytes; part++) {
    text += createHash('sha512').update(`${number} ${part}`).digest('base64')
  }
  return text.slice(0, bytes)
}
