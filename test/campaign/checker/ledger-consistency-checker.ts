import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisConnection } from '#src/redis/connection.ts'
import { poll } from './poll.ts'
import { readLedger } from './redis-outside.ts'
import type { StoreFiles } from './store-files.ts'
import { isRecord, type StoredRecord } from './store-outside.ts'

const CHECK_MS = 40

const MANIFEST = 'store.json'

/** Longest time in milliseconds between a commit and its entry in the ledger. */
const SETTLED_MS = 1_500

/**
 * Consistency checker that polls the ledger while it is written and compares it with the store. Each document that the
 * ledger calls done has a record in the store, because the ledger follows the store (Law 4).
 */
class LedgerConsistencyChecker {
  readonly #redis: RedisConnection
  readonly #files: StoreFiles
  readonly #conservation: string[]
  readonly #readNames = new Set<string>()
  /** Keys that had a record when the checker read them. */
  readonly #recorded = new Set<string>()

  constructor(redis: RedisConnection, files: StoreFiles, conservation: string[]) {
    this.#redis = redis
    this.#files = files
    this.#conservation = conservation
  }

  async compare(): Promise<void> {
    const reported = (await readLedger(this.#redis)).done
    const isUnseen = ([key]: readonly [string, string]): boolean => !this.#recorded.has(key)
    await this.#checkWhereTheyShouldBe([...reported].filter(isUnseen))
    const unseen = [...reported].filter(isUnseen)
    if (unseen.length === 0 || !(await this.#readNewRecords())) return
    const missing = unseen.filter(isUnseen)
    if (missing.length === 0) return
    // One that changed after its job was made is committed anew under its old entry, and steps aside for a moment: only
    // a document whose entry still stands after a while was done all the time.
    await sleep(SETTLED_MS)
    const after = (await readLedger(this.#redis)).done
    for (const [key] of missing.filter(([one, entry]) => after.get(one) === entry)) {
      this.#recorded.add(key)
      this.#conservation.push(`${key} was "done" before it was in the store`)
    }
  }

  /** Most documents are at the path of their key: listing the whole store at each poll would saturate the machine. */
  async #checkWhereTheyShouldBe(unseen: readonly (readonly [string, string])[]): Promise<void> {
    for (const [key] of unseen) {
      const record = parsed(await this.#files.read(`documents/${key}/record.json`).catch(() => null))
      if (record?.key === key) this.#recorded.add(key)
    }
  }

  /** False when the store or one of its records could not be read: which records are missing is then unknown. */
  async #readNewRecords(): Promise<boolean> {
    const files = this.#files
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

/** Adds what the checker finds to `conservation`, one sentence each. */
export function checkLedgerWhileWritten(
  redis: RedisConnection,
  files: StoreFiles,
  conservation: string[],
  isSuspended: () => boolean,
): AsyncDisposable {
  const checker = new LedgerConsistencyChecker(redis, files, conservation)
  return poll(CHECK_MS, async () => (isSuspended() ? undefined : checker.compare()))
}

/** Null where the record is gone again or incomplete: other checks report that. */
function parsed(bytes: Buffer | null): StoredRecord | null {
  try {
    return bytes === null ? null : (JSON.parse(bytes.toString()) as StoredRecord)
  } catch {
    return null
  }
}
