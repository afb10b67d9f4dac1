import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisConnection } from '#src/queue/connection.ts'
import { lookAgain } from './look-again.ts'
import { readLedger } from './redis-outside.ts'
import type { StoreFiles } from './store-files.ts'
import { isRecord, type StoredRecord } from './store-outside.ts'

const LOOK_MS = 40

const MANIFEST = 'store.json'

/** Longest between a commit and the ledger's word of it. */
const SETTLED_MS = 1_500

export interface LedgerOnlookerOptions {
  readonly redis: RedisConnection
  readonly files: StoreFiles
  /** What it finds is added here, one sentence each. */
  readonly conservation: string[]
}

/**
 * Somebody who asks the ledger again and again while it is written, and goes to the store to see for himself: what the
 * ledger calls done has a record there, for the ledger follows the store (Law 4).
 */
export class LedgerOnlooker implements AsyncDisposable {
  readonly #options: LedgerOnlookerOptions
  readonly #readNames = new Set<string>()
  /** Keys that had a record when he looked. */
  readonly #recorded = new Set<string>()
  readonly #looking: AsyncDisposable

  constructor(options: LedgerOnlookerOptions) {
    this.#options = options
    this.#looking = lookAgain(LOOK_MS, () => this.#compare())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#looking[Symbol.asyncDispose]()
  }

  async #compare(): Promise<void> {
    const { redis, conservation } = this.#options
    const told = (await readLedger(redis)).done
    const isUnseen = ([key]: readonly [string, string]): boolean => !this.#recorded.has(key)
    await this.#lookWhereTheyShouldBe([...told].filter(isUnseen))
    const unseen = [...told].filter(isUnseen)
    if (unseen.length === 0 || !(await this.#readNewRecords())) return
    const missing = unseen.filter(isUnseen)
    if (missing.length === 0) return
    // One that changed after its job was made is committed anew under its old entry, and steps aside for a moment: only
    // a document whose entry still stands after a while was done all the time.
    await sleep(SETTLED_MS)
    const after = (await readLedger(redis)).done
    for (const [key] of missing.filter(([one, entry]) => after.get(one) === entry)) {
      this.#recorded.add(key)
      conservation.push(`${key} was "done" before it was in the store`)
    }
  }

  /** Most documents are where their keys say: to list the whole store at each look would be all that a machine does. */
  async #lookWhereTheyShouldBe(unseen: readonly (readonly [string, string])[]): Promise<void> {
    for (const [key] of unseen) {
      const record = parsed(await this.#options.files.read(`documents/${key}/record.json`).catch(() => null))
      if (record?.key === key) this.#recorded.add(key)
    }
  }

  /** False when some that are there could not be read: then nobody can say what is missing. */
  async #readNewRecords(): Promise<boolean> {
    const { files } = this.#options
    const isThere = async (): Promise<boolean> => (await files.read(MANIFEST).catch(() => null)) !== null
    if (!(await isThere())) return false
    const names = await files.list('documents').catch(() => null)
    // A fault may take the whole store away for a while.
    let all = names !== null && (await isThere())
    for (const name of names?.filter((one) => isRecord(one) && !this.#readNames.has(one)) ?? []) {
      const record = parsed(await files.read(name).catch(() => null))
      if (record === null) {
        all = false
        continue
      }
      this.#readNames.add(name)
      this.#recorded.add(record.key)
    }
    return all
  }
}

/** Null where it is gone again, or not whole: that is for others to tell. */
function parsed(bytes: Buffer | null): StoredRecord | null {
  try {
    return bytes === null ? null : (JSON.parse(bytes.toString()) as StoredRecord)
  } catch {
    return null
  }
}
