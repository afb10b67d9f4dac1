import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DocumentRecord } from '#src/document/record.ts'
import { differences, filesBelow } from './store-outside.ts'

const LOOK_MS = 100

/** Somebody who reads the store while it is written, and looks at each document as soon as it is there (Law 3). */
export class Onlooker implements AsyncDisposable {
  readonly #documents: string
  readonly #torn: string[]
  readonly #seen = new Set<string>()
  readonly #stopping = new AbortController()
  readonly #looking: Promise<void>

  /** What it finds torn is added to `torn`. */
  constructor(out: string, torn: string[]) {
    this.#documents = join(out, 'documents')
    this.#torn = torn
    this.#looking = this.#look()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#looking
  }

  async #look(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const files = await filesBelow(this.#documents).catch(() => [])
      for (const path of files.filter((file) => file.endsWith('/record.json') && !this.#seen.has(file))) {
        this.#seen.add(path)
        await this.#check(path)
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  async #check(path: string): Promise<void> {
    const text = await readText(path)
    if (text === null) return
    const found = await judge(text, dirname(path))
    // Another commit came in between: what was read are parts of two.
    if (found.length > 0 && (await readText(path)) === text) this.#torn.push(`seen by an onlooker: ${found.join(', ')}`)
  }
}

async function judge(text: string, folder: string): Promise<readonly string[]> {
  try {
    return await differences(JSON.parse(text) as DocumentRecord, folder)
  } catch (error) {
    return [String(error)]
  }
}

const readText = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null)
