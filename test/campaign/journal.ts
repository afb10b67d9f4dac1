import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FOLDER = join(process.env['KEPT_FOLDER'] ?? tmpdir(), 'sluice-faults')

/** Timestamped events of one run, to diagnose why its seed failed. */
export class Journal {
  readonly #startedAt = Date.now()
  readonly #lines: (readonly [at: number, text: string])[] = []

  note(text: string, at = Date.now()): void {
    this.#lines.push([at, text])
  }

  /** Writes the journal in chronological order and returns its path. */
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
