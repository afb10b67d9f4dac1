import type { Condition, ListedObject, NameRange, Objects, StoredObject } from '../objects/objects.ts'
import type { S3Bucket } from '../objects/s3-bucket.ts'
import type { PackedObjects } from './packed-objects.ts'

const PACKED = ['documents/', 'receipts/', 'failures/']

/** Objects of a store: in packs once its manifest lists packs; before, each is an object of the bucket. */
export class StoreObjects implements Objects {
  readonly #bucket: S3Bucket
  #packs: PackedObjects | null = null

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket
  }

  get packs(): PackedObjects | null {
    return this.#packs
  }

  get listsInOrder(): boolean {
    return this.#packs === null
  }

  usePacks(packs: PackedObjects): void {
    this.#packs ??= packs
  }

  get(name: string): Promise<StoredObject | null> {
    return this.#of(name).get(name)
  }

  has(name: string): Promise<boolean> {
    return this.#of(name).has(name)
  }

  put(name: string, bytes: Uint8Array): Promise<void> {
    return this.#of(name).put(name, bytes)
  }

  putIf(name: string, bytes: Uint8Array, condition: Condition): Promise<boolean> {
    return this.#of(name).putIf(name, bytes, condition)
  }

  async remove(names: readonly string[]): Promise<void> {
    const [first = ''] = names
    if (names.length > 0) await this.#of(first).remove(names)
  }

  removeUnchanged(name: string, modifiedAt: number): Promise<boolean> {
    return this.#of(name).removeUnchanged(name, modifiedAt)
  }

  list(folder: string, signal?: AbortSignal, range?: NameRange): AsyncGenerator<readonly string[]> {
    return this.#of(folder).list(folder, signal, range)
  }

  listObjects(folder: string, signal?: AbortSignal, range?: NameRange): AsyncGenerator<readonly ListedObject[]> {
    return this.#of(folder).listObjects(folder, signal, range)
  }

  /** Names requested together are all below one of the folders, or none is. */
  #of(name: string): Objects {
    return this.#packs !== null && PACKED.some((folder) => name.startsWith(folder)) ? this.#packs : this.#bucket
  }
}
