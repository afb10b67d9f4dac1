import { createReadStream } from 'node:fs'
import { PdfCutter } from '#src/cut/pdf-cutter.ts'

/* Cuts the PDF of argv[2] in the folder of argv[3]; at its end says by how many MiB it grew beyond a process that has cut the small one of argv[4]. */

const [, , path = '', folder = '', small = ''] = process.argv
const mebibytes = (): number => process.memoryUsage.rss() / 1024 ** 2
const cutter = new PdfCutter({ folder })

await piecesOf(small)
const before = mebibytes()
let peak = before
setInterval(() => (peak = Math.max(peak, mebibytes())), 5).unref()
const pieces = await piecesOf(path)
process.stdout.write(`${JSON.stringify({ pieces, grownMiB: peak - before })}\n`)

async function piecesOf(pdf: string): Promise<number> {
  const request = { read: () => createReadStream(pdf), upToPage: null }
  const cut = await cutter.cut(request, new AbortController().signal)
  if ('message' in cut) throw new Error(cut.message)
  await cut[Symbol.asyncDispose]()
  return cut.pieces.length
}
