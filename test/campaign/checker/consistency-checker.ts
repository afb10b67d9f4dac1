import { poll } from './poll.ts'
import type { StoreFiles } from './store-files.ts'
import { differences, isRecord, outputsOf, readOutputs, type StoredRecord } from './store-outside.ts'

const CHECK_MS = 100

/** Consistency checker: reads the store while it is written and checks each document once its record exists (Law 3). */
export class ConsistencyChecker implements AsyncDisposable {
  readonly #files: StoreFiles
  readonly #torn: string[]
  readonly #seen = new Set<string>()
  readonly #polling: AsyncDisposable

  /** The checker adds each torn document to `torn`. */
  constructor(files: StoreFiles, torn: string[], isSuspended: () => boolean) {
    this.#files = files
    this.#torn = torn
    this.#polling = poll(CHECK_MS, async () => (isSuspended() ? undefined : this.#check()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#polling[Symbol.asyncDispose]()
  }

  async #check(): Promise<void> {
    const names = await this.#files.list('documents').catch(() => [])
    for (const name of names.filter((one) => isRecord(one) && !this.#seen.has(one))) {
      this.#seen.add(name)
      await this.#checkDocument(name)
    }
  }

  async #checkDocument(name: string): Promise<void> {
    const text = await this.#text(name)
    if (text === null) return
    const found = await this.#judge(text, name)
    // Another commit came in between: the files that were read belong to two commits.
    if (found.length > 0 && (await this.#text(name)) === text)
      this.#torn.push(`the consistency checker saw: ${found.join(', ')}`)
  }

  async #judge(text: string, name: string): Promise<readonly string[]> {
    try {
      const record = JSON.parse(text) as StoredRecord
      const names = await this.#files.list(outputsOf(record, name))
      return differences(record, await readOutputs(this.#files, record, name, names))
    } catch (error) {
      return [String(error)]
    }
  }

  async #text(name: string): Promise<string | null> {
    const bytes = await this.#files.read(name).catch(() => null)
    return bytes?.toString() ?? null
  }
}
