import { gunzipSync } from 'node:zlib'
import type { PlainBucket } from '../world/plain-s3.ts'
import type { StoreFiles } from './store-files.ts'

/** Published layout: outputs of one commit, that of a record or one that no record names. */
const OUTPUT_OF_COMMIT = /\/[0-9a-z]+-[0-9a-f]{10}\/[^/]+$/

/** A store in a bucket. */
export class BucketFiles implements StoreFiles {
  readonly #bucket: PlainBucket
  readonly #prefix: string
  readonly #packs = new PackFiles()
  #isPacked: boolean | null = null
  #reading: Promise<unknown> = Promise.resolve()

  /** `prefix` ends in a slash. */
  constructor(bucket: PlainBucket, prefix: string) {
    this.#bucket = bucket
    this.#prefix = prefix
  }

  async list(folder: string): Promise<readonly string[]> {
    if (await this.#readPacks()) return this.#packs.names.filter((name) => name.startsWith(`${folder}/`))
    const keys = await this.#bucket.list(`${this.#prefix}${folder}/`)
    return keys.map((key) => key.slice(this.#prefix.length))
  }

  async read(name: string): Promise<Buffer | null> {
    if (!(await this.#readPacks())) return this.#get(name)
    const object = this.#packs.get(name)
    if (object === null) return null
    return 'bytes' in object ? object.bytes : this.#get(`packs/large/${object.large}`)
  }

  /** Whether the store has packs; all of them are read then. */
  async #readPacks(): Promise<boolean> {
    if (this.#isPacked !== true) {
      const manifest = await this.#get('store.json')
      this.#isPacked = manifest !== null && (JSON.parse(manifest.toString()) as { packs?: boolean }).packs === true
    }
    if (!this.#isPacked) return false
    this.#reading = this.#reading.then(() => this.#readNext())
    await this.#reading
    return true
  }

  async #readNext(): Promise<void> {
    for (;;) {
      const pack = await this.#get(`packs/log/${String(this.#packs.next).padStart(10, '0')}`)
      if (pack === null) return
      this.#packs.add(pack)
    }
  }

  async #get(name: string): Promise<Buffer | null> {
    return (await this.#bucket.get(this.#prefix + name))?.bytes ?? null
  }

  /** A killed worker leaves the folder of its commit as an orphan: no record points to it. */
  mayBeLeft(name: string): boolean {
    return OUTPUT_OF_COMMIT.test(name)
  }
}

/** What the packs of a store say, read by the specification (docs/reference/store-format.md) with none of our own code. */
type PackedObject = { readonly bytes: Buffer } | { readonly large: string }

type Row = readonly [name: string, at?: number | string, length?: number]

/** The packs of a store so far, in order. */
class PackFiles {
  readonly #objects = new Map<string, PackedObject>()
  /** Number of the next pack. */
  next = 1

  get names(): readonly string[] {
    return [...this.#objects.keys()]
  }

  get(name: string): PackedObject | null {
    return this.#objects.get(name) ?? null
  }

  add(pack: Buffer): void {
    const end = 12 + pack.readUInt32LE(8)
    if (pack.toString('latin1', 0, 8) !== 'SLUICEP1') throw new Error(`pack ${this.next} has no mark`)
    const { rows } = JSON.parse(gunzipSync(pack.subarray(12, end)).toString()) as { readonly rows: readonly Row[] }
    for (const [name, at, length] of rows) {
      if (at === undefined) this.#objects.delete(name)
      else if (typeof at === 'string') this.#objects.set(name, { large: at })
      else this.#objects.set(name, { bytes: pack.subarray(end + at, end + at + (length ?? 0)) })
    }
    this.next += 1
  }
}
