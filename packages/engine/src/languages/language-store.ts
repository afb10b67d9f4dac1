import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fetchData } from './fetch-data.ts'
import { dataFileOf, type LanguageData, LANGUAGES } from './language-data.ts'

/** Backoff in milliseconds after a failed fetch. Otherwise each page would wait for the registry. */
const RETRY_MS = 600_000

export interface LanguageStoreOptions {
  /** Persistent cache folder, which all engines of a user share. */
  readonly folder: string
  /** Receives one line per fetch, and one per failure. */
  readonly notify: (line: string) => void
  /** Environment for npm. Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Languages to fetch. Default: all languages of the release. */
  readonly languages?: Readonly<Record<string, LanguageData>>
}

/** Fetches the OCR data of a language when the first page needs it. All waiting documents share one fetch. */
export class LanguageStore {
  readonly #options: LanguageStoreOptions
  readonly #fetches = new Map<string, Promise<boolean>>()
  readonly #failedAt = new Map<string, number>()

  constructor(options: LanguageStoreOptions) {
    this.#options = options
  }

  get folder(): string {
    return this.#options.folder
  }

  /** True if the data of any of these missing languages is now present. Never rejects. */
  async obtain(codes: readonly string[]): Promise<boolean> {
    const obtained = await Promise.all(codes.map((code) => this.#obtain(code)))
    return obtained.includes(true)
  }

  #obtain(code: string): Promise<boolean> {
    if (existsSync(join(this.folder, dataFileOf(code)))) return Promise.resolve(true)
    const failedAt = this.#failedAt.get(code)
    if (failedAt !== undefined && performance.now() - failedAt < RETRY_MS) return Promise.resolve(false)
    const running = this.#fetches.get(code) ?? this.#fetch(code).finally(() => this.#fetches.delete(code))
    this.#fetches.set(code, running)
    return running
  }

  async #fetch(code: string): Promise<boolean> {
    const data = (this.#options.languages ?? LANGUAGES)[code]
    if (data === undefined) return false
    const { name } = data
    this.#options.notify(`fetching OCR data for ${name} from the npm registry, once`)
    try {
      await fetchData(code, data, this.folder, this.#options.env)
      return true
    } catch (error) {
      this.#failedAt.set(code, performance.now())
      const reason = error instanceof Error ? error.message : String(error)
      this.#options.notify(`no OCR data for ${name} (${reason}): pages in ${name} are partial until it can be fetched`)
      return false
    }
  }
}
