import { createReadStream } from 'node:fs'
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PdfCutter, type PdfCutterOptions } from '#src/cut/pdf-cutter.ts'
import type { Failure } from '#src/document/failure.ts'
import type { CutDocument, Piece } from '#src/ports/piece-cutter.ts'
import { lockedPdf } from '../support/build-pdf.ts'
import { sha256 } from '../support/documents.ts'
import { headingOf, type LargePdf, writeLargePdf } from '../support/large-pdf.ts'
import { childrenOf, commandLine } from '../support/process-tree.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { elapse } from '../support/wait.ts'
import { shared } from '../support/shared.ts'

const KB = 1000
const LIMIT = 300 * KB
const never = new AbortController().signal
const tenPages = Array.from({ length: 10 }, () => 90 * KB)

const folder = await shared(tempFolder())

let written = 0
async function pdfOf(pdf: LargePdf): Promise<string> {
  written += 1
  const path = join(folder.path, `${written}.pdf`)
  await writeLargePdf(path, pdf)
  return path
}

async function cut(path: string, options: PdfCutterOptions = {}, upToPage: number | null = null, signal = never) {
  const cutter = new PdfCutter({ limitBytes: LIMIT, folder: folder.path, ...options })
  return cutter.cut({ read: () => createReadStream(path), upToPage }, signal)
}

async function pieces(...asked: Parameters<typeof cut>): Promise<CutDocument> {
  const document = await cut(...asked)
  if ('message' in document) throw new Error(document.message)
  return document
}

/** All tests cut in one folder: a file left in it is a leak. */
const leftovers = async (): Promise<string[]> =>
  (await readdir(folder.path)).filter((name) => name.startsWith('sluice-cut-'))

async function bytesOf(piece: Piece): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of piece.read(never)) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** Pages whose heading stands in these bytes; content streams are copied as they are. */
const pagesIn = (bytes: Buffer, of: number): number[] =>
  Array.from({ length: of }, (_, index) => index + 1).filter((page) => bytes.includes(`(${headingOf(page)})`))

describe('the pieces of a PDF', () => {
  test('are PDFs within the limit with each page once, in order, even when all pages link to each other', async () => {
    await using document = await pieces(await pdfOf({ pictures: tenPages, linked: true }))
    expect(document.totalPages).toBe(10)
    const held: number[][] = []
    for (const piece of document.pieces) {
      const bytes = await bytesOf(piece)
      expect(bytes.length).toBe(piece.bytes)
      expect(bytes.length).toBeLessThanOrEqual(LIMIT)
      expect(sha256(bytes)).toBe(piece.contentHash)
      expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
      const pages = pagesIn(bytes, 10)
      expect([pages.at(0), pages.at(-1)]).toEqual([piece.firstPage, piece.lastPage])
      held.push(pages)
    }
    expect(held.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(held.length).toBeGreaterThan(2)
  })

  test('hold the requested page lists, and halves of a list over the limit', async () => {
    const path = await pdfOf({ pictures: tenPages })
    const lists = [[2, 5, 6], [9], [1, 3, 4, 7, 8, 10]]
    const cutter = new PdfCutter({ limitBytes: LIMIT, folder: folder.path })
    const document = await cutter.cut({ read: () => createReadStream(path), upToPage: null, lists }, never)
    if ('message' in document) throw new Error(document.message)
    await using _ = document
    expect(document.pieces.map(({ pages }) => pages)).toEqual([[2, 5, 6], [9], [1, 3, 4], [7, 8, 10]])
    for (const piece of document.pieces) expect(pagesIn(await bytesOf(piece), 10)).toEqual(piece.pages)
    expect(document.failed).toEqual([])
  })

  test('are the same bytes at every cut, independent of upToPage', async () => {
    const path = await pdfOf({ pictures: tenPages })
    const hashes = async (upToPage: number | null) => {
      await using document = await pieces(path, {}, upToPage)
      return document.pieces.map(({ firstPage, lastPage, contentHash }) => `${firstPage}-${lastPage} ${contentHash}`)
    }
    const all = await hashes(null)
    expect(await hashes(null)).toEqual(all)
    const some = await hashes(6)
    expect(some.at(-1)).toMatch(/-6 /)
    expect(some.slice(0, -1)).toEqual(all.slice(0, some.length - 1))
  })

  test('have fewer pages when pages are large', async () => {
    const pictures = [5, 5, 5, 5, 5, 5, 5, 250, 250, 250].map((size) => size * KB)
    await using document = await pieces(await pdfOf({ pictures }))
    expect(document.pieces.at(-1)).toMatchObject({ firstPage: 10, lastPage: 10 })
    expect(Math.max(...document.pieces.map(({ bytes }) => bytes))).toBeLessThanOrEqual(LIMIT)
  })

  test('have no name on the disk, and are readable repeatedly until disposal', async () => {
    const document = await pieces(await pdfOf({ pictures: tenPages }))
    expect(await leftovers()).toEqual([])
    const [first] = document.pieces
    if (first === undefined) throw new Error('no piece')
    expect((await bytesOf(first)).equals(await bytesOf(first))).toBe(true)
    await document[Symbol.asyncDispose]()
    await expect(bytesOf(first)).rejects.toThrow()
  })
})

describe('a PDF that cannot be cut', () => {
  test('fails as too large when one page is over the limit, unless upToPage leaves that page out', async () => {
    const path = await pdfOf({ pictures: [...tenPages, 400 * KB] })
    expect(await cut(path)).toMatchObject({
      code: 'too_large',
      message: /^page 11 alone is 0.4 MB, over the limit of 0.3 MB/,
    })
    await using upToTen = await pieces(path, {}, 10)
    expect(upToTen.pieces.at(-1)?.lastPage).toBe(10)
  })

  test('fails as encrypted or as corrupt, and leaves no temporary file', async () => {
    const locked = join(folder.path, 'locked.pdf')
    await writeFile(locked, await lockedPdf('secret', 'open sesame'))
    expect(await cut(locked)).toMatchObject({ code: 'encrypted', message: /password/ })

    const torn = await pdfOf({ pictures: tenPages })
    await truncate(torn, 500 * KB)
    expect(await cut(torn)).toMatchObject({ code: 'corrupt', message: /damaged/ })

    const lost = await pdfOf({ pictures: tenPages })
    const bytes = await readFile(lost)
    await writeFile(lost, bytes.toString('latin1').replace(/startxref\n\d+/, 'startxref\n12'), 'latin1')
    expect(await cut(lost)).toMatchObject({ code: 'corrupt' })

    const noise = join(folder.path, 'noise.pdf')
    await writeFile(noise, `%PDF-1.7\n${'no PDF at all '.repeat(1000)}`)
    expect(await cut(noise)).toMatchObject({ code: 'corrupt' })
    expect(await leftovers()).toEqual([])
  })

  test('fails as too large when its child exceeds a limit of time or memory, and leaves no temporary file', async () => {
    const path = await pdfOf({ pictures: Array.from({ length: 40 }, () => 1000 * KB) })
    expect(await cut(path, { timeoutMs: 1 })).toMatchObject({ code: 'too_large', message: /could not be cut in time/ })
    expect(await cut(path, { memoryBytes: 1000 })).toMatchObject({
      code: 'too_large',
      message: /the process that cuts it crashed/,
    })
    expect(await leftovers()).toEqual([])
  })
})

test('PdfCutter rejects on abort and leaves no temporary file', async () => {
  const path = await pdfOf({ pictures: tenPages })
  await expect(cut(path, {}, null, AbortSignal.timeout(50))).rejects.toThrow(/abort|timeout/i)
  expect(await leftovers()).toEqual([])
})

test('PdfCutter with one slot cuts the second document after the first is disposed of', async () => {
  const path = await pdfOf({ pictures: tenPages })
  const cutter = new PdfCutter({ limitBytes: LIMIT, folder: folder.path, documents: 1 })
  const request = { read: () => createReadStream(path), upToPage: null }
  const order: string[] = []
  const first = (await cutter.cut(request, never)) as CutDocument
  const cutSecond = async (): Promise<void> => {
    await using second = (await cutter.cut(request, never)) as CutDocument
    order.push(`second is cut into ${second.pieces.length}`)
  }
  const second = cutSecond()
  await elapse(300, 'the second must not be cut while the first is held')
  order.push('first is done')
  await first[Symbol.asyncDispose]()
  await second
  expect(order).toEqual(['first is done', 'second is cut into 4'])
})

/** Processes of cutters that this process has. */
async function cutChildren(): Promise<number[]> {
  const all = await childrenOf(process.pid)
  const lines = await Promise.all(all.map(commandLine))
  return all.filter((_, index) => lines[index]?.some((part) => part.includes('cut-child')))
}

describe('the child process that cuts PDFs', () => {
  test('is reused after a valid PDF with the same bytes, but not after an invalid or aborted one', async () => {
    const path = await pdfOf({ pictures: tenPages })
    const noise = join(folder.path, 'noise-again.pdf')
    await writeFile(noise, `%PDF-1.7\n${'no PDF at all '.repeat(1000)}`)
    const before = new Set(await cutChildren())
    const newChildren = async (): Promise<number[]> => (await cutChildren()).filter((pid) => !before.has(pid))
    const cutter = new PdfCutter({ limitBytes: LIMIT, folder: folder.path })
    const cutWith = (file: string, signal = never): Promise<CutDocument | Failure> =>
      cutter.cut({ read: () => createReadStream(file), upToPage: null }, signal)
    const hashes = async (): Promise<string[]> => {
      const document = await cutWith(path)
      if ('message' in document) throw new Error(document.message)
      await using _ = document
      return document.pieces.map((piece) => piece.contentHash)
    }
    const first = await hashes()
    const [used] = await newChildren()
    for (let number = 0; number < 3; number += 1) expect(await hashes()).toEqual(first)
    expect(await newChildren()).toEqual([used])

    expect(await cutWith(noise)).toMatchObject({ code: 'corrupt' })
    await expect.poll(newChildren, { timeout: 60_000 }).toEqual([])
    expect(await hashes()).toEqual(first)
    const [second] = await newChildren()
    expect(second).not.toBe(used)

    process.kill(second ?? 0, 'SIGKILL')
    expect(await hashes()).toEqual(first)
    await expect(cutWith(path, AbortSignal.abort())).rejects.toThrow(/abort/i)
    expect(await hashes()).toEqual(first)
    expect(await leftovers()).toEqual([])
  })
})
