import type { S3Bucket } from '../objects/s3-bucket.ts'
import { packName } from './pack-log.ts'
import type { Location } from './location-table.ts'

/** Cache of complete packs for the next reads, in bytes. */
const HELD_BYTES = 24 * 1024 * 1024
/** Number of recently read packs to remember: a second read fetches the complete pack. */
const REMEMBERED = 64

/** Reads objects from packs: a single object by its range, several of a pack by one request for all. */
export class PackReader {
  readonly #bucket: S3Bucket
  readonly #lately = new Set<number>()
  readonly #whole = new Map<number, Promise<Buffer | null>>()
  readonly #sizes = new Map<number, number>()

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket
  }

  async read({ pack, offset, length }: Extract<Location, { kind: 'inside' }>): Promise<Buffer> {
    const isNext = this.#lately.has(pack)
    this.#remember(pack)
    if (!isNext && !this.#whole.has(pack)) {
      if (length === 0) return Buffer.alloc(0)
      const part = await this.#bucket.getRange(packName(pack), offset, length)
      if (part?.bytes.length === length) return part.bytes
    }
    const whole = await this.#wholeOf(pack)
    if (whole === null || whole.length < offset + length)
      throw new Error(`${packName(pack)} is incomplete: restore it from a backup`)
    // A copy: a view would keep the pack in memory.
    return Buffer.from(whole.subarray(offset, offset + length))
  }

  #remember(pack: number): void {
    this.#lately.delete(pack)
    this.#lately.add(pack)
    for (const oldest of this.#lately) {
      if (this.#lately.size <= REMEMBERED) return
      this.#lately.delete(oldest)
    }
  }

  async #wholeOf(pack: number): Promise<Buffer | null> {
    const held = this.#whole.get(pack) ?? this.#fetch(pack)
    this.#whole.delete(pack)
    this.#whole.set(pack, held)
    return held
  }

  #fetch(pack: number): Promise<Buffer | null> {
    const fetched = this.#bucket.get(packName(pack)).then((object) => object?.bytes ?? null)
    fetched.then(
      (bytes) => this.#hold(pack, bytes?.length ?? 0),
      () => this.#whole.delete(pack),
    )
    return fetched
  }

  #hold(pack: number, bytes: number): void {
    this.#sizes.set(pack, bytes)
    let sum = [...this.#sizes.values()].reduce((all, size) => all + size, 0)
    for (const [oldest] of this.#whole) {
      if (sum <= HELD_BYTES) return
      sum -= this.#sizes.get(oldest) ?? 0
      this.#sizes.delete(oldest)
      this.#whole.delete(oldest)
    }
  }
}
