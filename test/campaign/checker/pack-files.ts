import { gunzipSync } from 'node:zlib'

/** What the packs of a store say, read by the specification (docs/store-format.md) with none of our own code. */
export type PackedObject = { readonly bytes: Buffer } | { readonly large: string }

type Row = readonly [name: string, at?: number | string, length?: number]

/** The packs of a store so far, in order. */
export class PackFiles {
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
