import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import type { Random } from '../../support/random.ts'
import type { FixtureStore, FixtureFile } from './fixture-store.ts'
import { marksIn, pagedPdf } from './paged-documents.ts'

const KINDS = ['good', 'rejected', 'poison', 'hard', 'partial', 'refused', 'unavailable', 'slow', 'held'] as const

/**
 * What the service makes of a document; it stands in its first line. The engine can read the good ones alone. `refused` and
 * `unavailable`: 429 and 500 to the first request. `held`: never answered.
 */
export type Kind = (typeof KINDS)[number]

/** First line of a document; `more` is text that no other document has. */
export const markOf = (kind: Kind, more: string): string => `<!-- ${kind} ${more} -->`

const FOLDERS = ['', 'a/', 'a/b c/', 'ü/', 'deep/er/']

export interface ArchiveOptions {
  readonly documents: number
  /** Share of documents that the service never answers with anything but an error. Each takes half a minute. */
  readonly poison: number
  /** PDFs of several pages among them, and documents that the service alone can read. */
  readonly paged: boolean
}

/** What the text of a document comes to in the service: its Markdown, byte for byte. */
export function markdownOf(bytes: Uint8Array): string {
  const digest = createHash('sha256').update(bytes).digest('hex')
  return `# ${digest}\n\n${Buffer.from(bytes).toString('utf8')}\n`
}

export function kindOf(bytes: Uint8Array): Kind {
  const [page] = marksIn(bytes)
  if (page !== undefined) return page.kind
  const mark = /^<!-- (\w+)/.exec(Buffer.from(bytes).toString('latin1'))?.[1]
  return KINDS.find((kind) => kind === mark) ?? 'good'
}

/** Small documents, with copies among them, that change under the hands of those who read them. */
export class Archive {
  readonly #fixtures: FixtureStore
  readonly #random: Random
  /** Every key that ever was there. */
  readonly everSeen = new Set<string>()
  readonly #present = new Set<string>()
  readonly #touchedAt = new Map<string, number>()
  /** SHA-256 of each PDF by the name that its pages have. */
  readonly #digests = new Map<string, string>()
  #made = 0
  #paged = false
  #filledAt = Infinity

  constructor(fixtures: FixtureStore, random: Random) {
    this.#fixtures = fixtures
    this.#random = random
  }

  /** Epoch milliseconds of the last change to a document. */
  touchedAt(key: string): number {
    return this.#touchedAt.get(key) ?? 0
  }

  /** Whether a document is there as it was put there at first. */
  isAsFilled(key: string): boolean {
    return this.#present.has(key) && this.touchedAt(key) <= this.#filledAt
  }

  get hasChanged(): boolean {
    return [...this.everSeen].some((key) => !this.isAsFilled(key))
  }

  get keys(): readonly string[] {
    return [...this.#present].sort()
  }

  /** The content (SHA-256) of which a unit of the service's charges is a part, or that it is. */
  readonly contentOf = (unit: string): string => this.#digests.get(unit.replace(/\.p\d+$/, '')) ?? unit

  async populate({ documents, poison, paged }: ArchiveOptions): Promise<void> {
    this.#paged = paged
    for (let count = 0; count < documents; count++) {
      if (this.#present.size > 0 && this.#random.next() < 0.2) await this.#copy()
      else await this.#write(this.#newKey() + this.#extension(), this.#kind(poison))
    }
    this.#filledAt = Date.now()
  }

  /**
   * One change as a person makes it: an edit of the file itself or by a rename, a touch, a move, a deletion, a copy,
   * a new one. Returns what it did.
   */
  async change(): Promise<string> {
    const key = this.#random.pick(this.keys)
    // Before and after: a run that begins in between may see either.
    this.#touchedAt.set(key, Infinity)
    try {
      return await this.#change(key)
    } finally {
      this.#touchedAt.set(key, Date.now())
    }
  }

  async #change(key: string): Promise<string> {
    switch (this.#random.below(7)) {
      case 0:
        await this.#write(key, 'good')
        return `edited ${key}`
      case 1:
        await this.#fixtures.replace(key, this.#content('good', key))
        return `replaced ${key}`
      case 2:
        await this.#move(key)
        return `moved ${key}`
      case 3:
        if (this.#present.size < 5) return 'nothing to delete'
        this.#present.delete(key)
        await this.#fixtures.remove(key)
        return `deleted ${key}`
      case 4:
        await this.#copy()
        return 'copied one'
      case 5:
        await this.#fixtures.touch(key, new Date(1_000_000_000_000 + this.#random.below(1e9)))
        return `touched ${key}`
      default:
        await this.#write(this.#newKey() + this.#extension(), 'good')
        return 'made a new one'
    }
  }

  /** Gives so many documents, or all, new content. */
  async edit(documents: number): Promise<void> {
    for (const key of this.keys.slice(0, documents)) {
      this.#touchedAt.set(key, Infinity)
      await this.#write(key, 'good')
    }
  }

  /** A new document, and copies of it. */
  async addCopies(copies: number): Promise<void> {
    const extension = this.#extension()
    const key = this.#newKey() + extension
    await this.#write(key, 'good')
    for (let count = 0; count < copies; count++) {
      const to = this.#newKey() + extension
      await this.#fixtures.copy(key, to)
      this.#add(to)
    }
  }

  read(key: string): Promise<FixtureFile> {
    return this.#fixtures.read(key)
  }

  async #copy(): Promise<void> {
    const stem = this.#newKey()
    const from = this.#random.pick(this.keys)
    const to = stem + extname(from)
    await this.#fixtures.copy(from, to)
    this.#add(to)
  }

  async #move(key: string): Promise<void> {
    const to = this.#newKey() + extname(key)
    await this.#fixtures.move(key, to)
    this.#present.delete(key)
    this.#add(to)
  }

  async #write(key: string, kind: Kind): Promise<void> {
    await this.#fixtures.write(key, this.#content(kind, key))
    this.#add(key)
  }

  #add(key: string): void {
    this.#present.add(key)
    this.#touchedAt.set(key, Date.now())
    this.everSeen.add(key)
  }

  #kind(poison: number): Kind {
    const dice = this.#random.next()
    if (dice < poison) return 'poison'
    if (dice < poison + 0.05) return 'rejected'
    return this.#paged && dice < poison + 0.12 ? 'hard' : 'good'
  }

  /** Without its extension. */
  #newKey(): string {
    this.#made += 1
    return `${this.#random.pick(FOLDERS)}${this.#made}`
  }

  #extension(): string {
    return this.#paged && this.#random.next() < 0.8 ? '.pdf' : '.html'
  }

  #content(kind: Kind, key: string): string {
    return key.endsWith('.pdf') ? this.#pdf(kind) : this.#text(kind)
  }

  /** One to forty pages; the engine reads four of ten badly, and the service cannot read one of forty. */
  #pdf(kind: Kind): string {
    this.#made += 1
    const document = `d${this.#made}`
    const pages = Array.from({ length: 1 + Math.floor(40 * this.#random.next() ** 3) }, () => ({
      grade: this.#random.next() < 0.4 ? 0.89 * this.#random.next() : 0.9 + 0.1 * this.#random.next(),
      isBroken: this.#random.next() < 0.025 && kind === 'good',
    }))
    const bytes = pagedPdf(document, kind, pages)
    this.#digests.set(document, createHash('sha256').update(bytes).digest('hex'))
    return bytes.toString('latin1')
  }

  #text(kind: Kind): string {
    this.#made += 1
    return `${markOf(kind, `${this.#made} ${this.#random.next()}`)}<p>${'x'.repeat(this.#random.below(2_000))}`
  }
}
