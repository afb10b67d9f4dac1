import type { SourceKey } from '#src/document/ids.ts'
import type { DeadLetter } from '#src/document/record.ts'
import type { DeadLetters } from '#src/ports/output-store.ts'
import { explainedS3, isDenied } from '#src/s3/errors.ts'
import { letterName } from '../document-path.ts'
import { parseDeadLetter, toJson } from '../record-json.ts'
import type { StoreObjects } from './packs/store-objects.ts'

/** Overwrites a dead letter that may not be deleted: readers treat it as missing. */
const NO_LETTER = Buffer.from('{}\n')

/** `failures/` of a bucket: one object per document. */
export class S3DeadLetters implements DeadLetters {
  readonly #objects: StoreObjects
  readonly #url: string

  constructor(objects: StoreObjects, url: string) {
    this.#objects = objects
    this.#url = url
  }

  async read(key: SourceKey): Promise<DeadLetter | null> {
    const json = await this.#objects.get(`failures/${letterName(key)}`)
    return json === null ? null : parseDeadLetter(json.bytes)
  }

  async bury(letter: DeadLetter): Promise<void> {
    await explainedS3(`cannot keep the failure of ${JSON.stringify(letter.key)} in ${this.#url}`, () =>
      this.#objects.put(`failures/${letterName(letter.key)}`, toJson(letter)),
    )
  }

  async *list(signal: AbortSignal): AsyncGenerator<DeadLetter> {
    for await (const names of this.#objects.list('failures/', signal)) {
      for (const name of names) {
        signal.throwIfAborted()
        const json = await this.#objects.get(name)
        const letter = json === null ? null : parseDeadLetter(json.bytes)
        if (letter !== null) yield letter
      }
    }
  }

  /** If the policy denies deletions, an empty dead letter overwrites this one, and counts as missing. */
  async remove(key: SourceKey): Promise<void> {
    const name = `failures/${letterName(key)}`
    await explainedS3(`cannot remove ${name} from ${this.#url}`, async () => {
      try {
        await this.#objects.remove([name])
      } catch (error) {
        if (!isDenied(error)) throw error
        if ((await this.read(key)) !== null) await this.#objects.put(name, NO_LETTER)
      }
    })
  }
}
