import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface FolderPlan {
  readonly count: number
  readonly bytes: number
  /** Of every hundred, so many are poison. */
  readonly poisonPercent: number
}

/** Small HTML files, each with its name in it: `<!-- document NAME -->`. */
export async function writeDocuments(folder: string, { count, bytes, poisonPercent }: FolderPlan): Promise<void> {
  await mkdir(folder, { recursive: true })
  const filler = 'The quick brown fox jumps over the lazy dog. '
  for (let from = 0; from < count; from += 200) {
    const batch = Array.from({ length: Math.min(200, count - from) }, (_, index) => from + index)
    await Promise.all(
      batch.map((index) => {
        const name = `${isPoison(index, poisonPercent) ? 'poison' : 'document'}-${index}`
        const head = `<!doctype html><!-- document ${name} --><h1>${name}</h1>`
        const text = filler.repeat(Math.max(0, Math.ceil((bytes - head.length) / filler.length)))
        return writeFile(join(folder, `${name}.html`), `${head}<p>${text}</p>`)
      }),
    )
  }
}

/** Spread evenly. */
function isPoison(index: number, percent: number): boolean {
  return percent > 0 && index % Math.round(100 / percent) === 0
}
