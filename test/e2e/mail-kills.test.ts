import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Harness, textOf } from '../outages/support/harness.ts'
import { Random } from '../support/random.ts'
import { seedFrom } from '../support/seed.ts'
import { elapse } from '../support/wait.ts'

/** The figures of docs/internals/failures.md come from 100 runs: MAIL_RUNS=100. */
const RUNS = Number(process.env['MAIL_RUNS'] ?? 4)
const SEED = seedFrom('MAIL_KILL_SEED', 'fresh')
const CONCURRENCY = 3

interface Mail {
  /** Attachments by their path below the mail: `1-a.html`, `2-fw.eml!/1-b.html`. */
  readonly attachments: ReadonlyMap<string, string>
  /** Messages in the mail, itself included: path and subject. */
  readonly messages: ReadonlyMap<string, string>
  readonly raw: string
}

class MailRun {
  readonly #random: Random
  readonly #contents: string[] = []
  readonly files = new Map<string, readonly Mail[]>()
  #made = 0

  constructor(seed: number) {
    this.#random = new Random(seed)
    for (let at = 2 + this.#random.below(5); at > 0; at--) this.files.set(this.#name('eml'), [this.#mail(0)])
  }

  get random(): Random {
    return this.#random
  }

  /** Every document that the source holds, with its Markdown or the subject of its message. */
  expected(): Map<string, { readonly text: string } | { readonly subject: string }> {
    const all = new Map<string, { readonly text: string } | { readonly subject: string }>()
    for (const [file, mails] of this.files) {
      for (const { attachments, messages } of mails) {
        for (const [path, content] of attachments) all.set(`${file}!/${path}`, { text: textOf(Buffer.from(content)) })
        for (const [path, subject] of messages) all.set(path === '' ? file : `${file}!/${path}`, { subject })
      }
    }
    return all
  }

  contents(): Set<string> {
    return new Set(this.#contents)
  }

  /** Moves a mail, as a person who sorts them. */
  move(): readonly [from: string, to: string] {
    const from = this.#random.pick([...this.files.keys()])
    const to = this.#name('eml')
    this.files.set(to, this.files.get(from) ?? [])
    this.files.delete(from)
    return [from, to]
  }

  #name(extension: string): string {
    this.#made += 1
    return `m${this.#made}.${extension}`
  }

  #mail(depth: number): Mail {
    this.#made += 1
    const subject = `subject ${this.#made}`
    const attachments = new Map<string, string>()
    const messages = new Map([['', subject]])
    const parts = Array.from({ length: this.#random.below(5) }, (_, index) => {
      if (depth < 2 && this.#random.chance(0.2)) {
        const inner = this.#mail(depth + 1)
        const path = `${index + 1}-fw.eml`
        for (const [below, content] of inner.attachments) attachments.set(`${path}!/${below}`, content)
        for (const [below, of] of inner.messages) messages.set(below === '' ? path : `${path}!/${below}`, of)
        return part('fw.eml', inner.raw)
      }
      const content = this.#content()
      attachments.set(`${index + 1}-a.html`, content)
      return part('a.html', content)
    })
    const head = `From: a@x.org\nSubject: ${subject}\nContent-Type: multipart/mixed; boundary=b${depth}\n\n`
    const body = [`\nbody of ${subject}\n`, ...parts].map((text) => `--b${depth}\n${text}`).join('')
    return { attachments, messages, raw: `${head}${body}--b${depth}--\n` }
  }

  /** One of five is a copy of another. */
  #content(): string {
    if (this.#contents.length > 0 && this.#random.chance(0.2)) return this.#random.pick(this.#contents)
    const content = `<p>${this.#made} ${this.#random.next()} ${this.#contents.length}</p>`
    this.#contents.push(content)
    return content
  }
}

const part = (name: string, content: string): string =>
  `Content-Type: application/octet-stream; name="${name}"\nContent-Transfer-Encoding: base64\n\n${Buffer.from(content).toString('base64')}\n`

test.each(Array.from({ length: RUNS }, (_, at) => SEED + at))(
  'mails that are moved between kills lose no attachment and pay none twice (seed %i)',
  async (seed) => {
    const drawn = new MailRun(seed)
    const { random } = drawn
    await using harness = await Harness.open({ documents: 0, reply: () => ({ delayMs: 20 + random.below(60) }) })
    for (const [name, [mail]] of drawn.files) await harness.write(name, mail?.raw ?? '')
    // A moved mail may hold most documents: the mass-deletion limit would keep its former outputs.
    const flags = { concurrency: CONCURRENCY, 'takeover-ms': 1_000, 'delete-gone': true, force: true } as const
    const kills = 1 + random.below(2)
    for (let kill = 0; kill < kills; kill++) {
      const running = harness.start('run', flags)
      await harness.requested(harness.service.requests.length + 1 + random.below(4), running)
      await elapse(random.below(100), 'the kill comes at any moment between two requests')
      running.child.kill('SIGKILL')
      await running.finished
      const [from, to] = drawn.move()
      await rename(join(harness.source, from), join(harness.source, to))
    }
    const last = await harness.run(flags)
    expect(last.code, last.stdout + last.stderr).toBe(0)

    const store = await harness.read()
    const expected = drawn.expected()
    expect([...store.records.keys()].toSorted()).toEqual([...expected.keys()].toSorted())
    for (const [key, truth] of expected) {
      const markdown = await readFile(join(store.folders.get(key) ?? '', 'document.md'), 'utf8')
      if ('text' in truth) expect(markdown, key).toBe(truth.text)
      else expect(markdown, key).toContain(`# ${truth.subject}\n`)
    }
    // Only a request in flight at a kill may be charged a second time.
    const contents = drawn.contents().size
    expect(harness.service.charged).toBeLessThanOrEqual(contents + kills * CONCURRENCY)

    const before = harness.service.requests.length
    for (let move = 0; move < 3; move++) {
      const [from, to] = drawn.move()
      await rename(join(harness.source, from), join(harness.source, to))
    }
    const moved = await harness.run(flags)
    expect(moved.code, moved.stdout + moved.stderr).toBe(0)
    expect(harness.service.requests.length).toBe(before)
    expect([...(await harness.read()).records.keys()].toSorted()).toEqual([...drawn.expected().keys()].toSorted())
  },
  120_000,
)
