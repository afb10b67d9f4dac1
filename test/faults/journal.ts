import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FOLDER = join(process.env['KEPT_FOLDER'] ?? tmpdir(), 'sluice-faults')

/** What happened in one run, moment by moment, for whoever has to find out why its seed failed. */
export class Journal {
  readonly #startedAt = Date.now()
  readonly #lines: (readonly [at: number, text: string])[] = []

  note(text: string, at = Date.now()): void {
    this.#lines.push([at, text])
  }

  /** Writes it down, in the order of time, and answers where. */
  async keep(name: string, sections: Readonly<Record<string, string>>): Promise<string> {
    const lines = this.#lines
      .toSorted(([one], [other]) => one - other)
      .map(([at, text]) => `${String(at - this.#startedAt).padStart(7)} ms  ${text}`)
    const parts = Object.entries({ ...sections, 'what happened': lines.join('\n') })
    await mkdir(FOLDER, { recursive: true })
    const path = join(FOLDER, `${name}.txt`)
    await writeFile(path, parts.map(([title, text]) => `== ${title}\n${text}\n`).join('\n'))
    return path
  }
}
