import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fetchData } from './fetch-data.ts'
import { dataFileOf, type LanguageData, LANGUAGES } from './language-data.ts'

/** After a failure the registry is not asked again for so long: each page would wait for it. */
const RETRY_MS = 600_000

export interface LanguageStoreOptions {
  /** Kept between runs and shared by all engines of a user. */
  readonly folder: string
  /** Receives one line for a fetch, and one where it failed. */
  readonly notify: (line: string) => void
  /** Environment for npm; default: that of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** What can be fetched; default: all that the release knows. */
  readonly languages?: Readonly<Record<string, LanguageData>>
}

/** Fetches the OCR data of languages when a first page needs it, each once however many documents wait for it. */
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

  /** Whether data of any of these languages is there now that a conversion has found lacking. Never rejects. */
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
