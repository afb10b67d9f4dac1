import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface FolderPlan {
  readonly count: number
  readonly bytes: number
  /** Of every hundred, so many are poison. */
  readonly poisonPercent: number
}

/** What the documents of a folder are called, poison spread evenly among them. */
export function documentNames(count: number, poisonPercent: number): string[] {
  const every = poisonPercent > 0 ? Math.round(100 / poisonPercent) : Infinity
  return Array.from(
    { length: count },
    (_, index) => `${index % every === 0 && every !== Infinity ? 'poison' : 'document'}-${index}`,
  )
}

/** Small HTML files, each with its name in it: `<!-- document NAME -->`. */
export async function writeDocuments(folder: string, { count, bytes, poisonPercent }: FolderPlan): Promise<void> {
  await mkdir(folder, { recursive: true })
  const filler = 'The quick brown fox jumps over the lazy dog. '
  const names = documentNames(count, poisonPercent)
  for (let from = 0; from < count; from += 200) {
    await Promise.all(
      names.slice(from, from + 200).map((name) => {
        const head = `<!doctype html><!-- document ${name} --><h1>${name}</h1>`
        const text = filler.repeat(Math.max(0, Math.ceil((bytes - head.length) / filler.length)))
        return writeFile(join(folder, `${name}.html`), `${head}<p>${text}</p>`)
      }),
    )
  }
}
