// Processor time that it takes to look at the pages of PDFs: `node bench/look/main.ts FILE…`. Each file is read and looked
// at five times, after once to warm up; up to 20 pages of each.
import { parseArgs } from 'node:util'
import { previewPages } from '../../src/engine/pdf/preview-pages.ts'
import { PdfFile } from '../../src/engine/pdf/pdf-file.ts'
import { pdfPictures } from '../../src/engine/pdf/pdf-pictures.ts'
import { readPages } from '../../src/engine/pdf/read-pages.ts'
import type { ReadPage } from '../../src/engine/pdf/text-layer.ts'

const { positionals: files } = parseArgs({ allowPositionals: true })
const ROUNDS = 5
const MOST_PAGES = 20

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const times = { read: 0, look: 0 }
let [pages, drawn] = [0, 0]
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const file of files) {
    const began = cpuMs()
    const batches: (readonly ReadPage[])[] = []
    for await (const batch of readPages(file, MOST_PAGES)) batches.push(batch)
    const read = cpuMs()
    const totalPages = batches.reduce((sum, batch) => sum + batch.length, 0)
    const pictures = pdfPictures(await PdfFile.read(file), { password: null, totalPages })
    const previews = await Promise.all(batches.map((batch) => previewPages(batch, pictures)))
    if (round === 0) continue
    times.read += read - began
    times.look += cpuMs() - read
    pages += batches.reduce((sum, batch) => sum + batch.length, 0)
    drawn += previews.flatMap((look) => [...look.values()]).filter((look) => typeof look === 'object').length
  }
}
const each = (ms: number): string => (ms / Math.max(1, pages)).toFixed(1)
console.log(
  `${pages / ROUNDS} pages: ${each(times.read)} ms a page to read the text layer, ${each(times.look)} ms to look; ` +
    `${Math.round((100 * drawn) / Math.max(1, pages))} % of the pages needed more than a glance`,
)
