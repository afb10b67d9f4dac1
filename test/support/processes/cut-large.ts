import { createReadStream } from 'node:fs'
import { PdfCutter } from '#src/cut/pdf-cutter.ts'

/* Cuts the PDF of argv[2] in the folder of argv[3]; at its end says by how many MiB it grew. */

const [, , path = '', folder = ''] = process.argv
const mebibytes = (): number => process.memoryUsage.rss() / 1024 ** 2
const before = mebibytes()
let peak = before
setInterval(() => (peak = Math.max(peak, mebibytes())), 5).unref()

const cutter = new PdfCutter({ folder })
const request = { read: () => createReadStream(path), upToPage: null }
const cut = await cutter.cut(request, new AbortController().signal)
if ('message' in cut) throw new Error(cut.message)
const { pieces } = cut
await cut[Symbol.asyncDispose]()
process.stdout.write(`${JSON.stringify({ pieces: pieces.length, grownMiB: peak - before })}\n`)
