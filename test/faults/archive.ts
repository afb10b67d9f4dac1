import { createHash } from 'node:crypto'
import type { Random } from '../support/random.ts'
import type { FixtureStore, FixtureFile } from './fixture-store.ts'

/** What the service makes of a document; it stands in its first line. */
export type Kind = 'good' | 'rejected' | 'poison'

const FOLDERS = ['', 'a/', 'a/b c/', 'ü/', 'deep/er/']

export interface ArchiveOptions {
  readonly documents: number
  /** Share of documents that the service never answers with anything but an error. Each takes half a minute. */
  readonly poison: number
}

/** What the text of a document comes to in the service: its Markdown, byte for byte. */
export function markdownOf(bytes: Uint8Array): string {
  const digest = createHash('sha256').update(bytes).digest('hex')
  return `# ${digest}\n\n${Buffer.from(bytes).toString('utf8')}\n`
}

export function kindOf(bytes: Uint8Array): Kind {
  return (/^<!-- (good|rejected|poison)/.exec(Buffer.from(bytes).toString('latin1'))?.[1] ?? 'good') as Kind
}

/** Small documents, with copies among them, that change under the hands of those who read them. */
export class Archive {
  readonly #fixtures: FixtureStore
  readonly #random: Random
  /** Every key that ever was there. */
  readonly everSeen = new Set<string>()
  readonly #present = new Set<string>()
  readonly #touchedAt = new Map<string, number>()
  #made = 0
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

  async fill({ documents, poison }: ArchiveOptions): Promise<void> {
    for (let count = 0; count < documents; count++) {
      if (this.#present.size > 0 && this.#random.next() < 0.2) await this.#copy()
      else await this.#write(this.#newKey(), this.#kind(poison))
    }
    this.#filledAt = Date.now()
  }

  /**
   * One change as a person makes it: an edit in place or by a rename, a touch, a move, a deletion, a copy, a new one.
   * Answers what it did.
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
        await this.#fixtures.replace(key, this.#text('good'))
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
        await this.#write(this.#newKey(), 'good')
        return 'made a new one'
    }
  }

  /** A new document, and copies of it. */
  async addCopies(copies: number): Promise<void> {
    const key = this.#newKey()
    await this.#write(key, 'good')
    for (let count = 0; count < copies; count++) {
      const to = this.#newKey()
      await this.#fixtures.copy(key, to)
      this.#add(to)
    }
  }

  read(key: string): Promise<FixtureFile> {
    return this.#fixtures.read(key)
  }

  async #copy(): Promise<void> {
    const to = this.#newKey()
    await this.#fixtures.copy(this.#random.pick(this.keys), to)
    this.#add(to)
  }

  async #move(key: string): Promise<void> {
    const to = this.#newKey()
    await this.#fixtures.move(key, to)
    this.#present.delete(key)
    this.#add(to)
  }

  async #write(key: string, kind: Kind): Promise<void> {
    await this.#fixtures.write(key, this.#text(kind))
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
    return dice < poison + 0.05 ? 'rejected' : 'good'
  }

  #newKey(): string {
    this.#made += 1
    return `${this.#random.pick(FOLDERS)}${this.#made}.html`
  }

  #text(kind: Kind): string {
    this.#made += 1
    return `<!-- ${kind} ${this.#made} ${this.#random.next()} --><p>${'x'.repeat(this.#random.below(2_000))}`
  }
}
