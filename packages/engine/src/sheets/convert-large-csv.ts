import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { GarbagePacer } from '../collect-garbage.ts'
import type { Conversion } from '../conversion.ts'
import { OffHeapText } from '../off-heap-text.ts'
import { CsvRows, separatorOf, withoutSeparatorLine } from './csv-fields.ts'
import { encodingOf } from '../text/decode-text.ts'

/** Sample size in bytes, enough to detect encoding and separator. */
const SAMPLE_BYTES = 64 * 1024

async function sampleOf(path: string): Promise<Buffer> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0)
  return buffer.subarray(0, bytesRead)
}

/** Streams the file as text, without a line that names its separator. */
async function* textOf(path: string, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  let isFirst = true
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 ** 2 })) {
    const text = decoder.decode(chunk as Buffer, { stream: true })
    yield isFirst ? withoutSeparatorLine(text) : text
    isFirst = false
  }
  yield decoder.decode()
}

const cell = (field: string): string => {
  const text = field.trim()
  // Fast path for fields without Markdown characters, which are the majority.
  if (!/[\\`*[\]<|~_\n]/.test(text)) return text
  return text
    .replace(/[\\`*[\]<|]|~(?=~)|(?<=~)~/g, String.raw`\$&`)
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\$&`)
    .replace(/\s*\r?\n\s*/g, ' ')
}

/** Returns the width of the table: the maximum number of columns. */
async function widthOf(path: string, encoding: string, separator: string): Promise<number> {
  const rows = new CsvRows(separator)
  let width = 0
  for await (const text of textOf(path, encoding))
    for (const row of rows.read(text)) width = Math.max(width, row.length)
  for (const row of rows.end()) width = Math.max(width, row.length)
  return width
}

/**
 * Converts a large table of separated values in two streams, first for its width, then for its text. It takes about
 * four times the file's size in memory, the library thirty times. Statistics over a sample may miss the encoding. Text
 * that is invalid in the detected encoding gets replacement characters.
 */
export async function convertLargeCsv(path: string, contentType: string | null): Promise<Conversion> {
  const sample = await sampleOf(path)
  const encoding = encodingOf(sample, contentType, true)
  const separator = separatorOf(new TextDecoder(encoding).decode(sample))
  const width = await widthOf(path, encoding, separator)
  const rows = new CsvRows(separator)
  const markdown = new OffHeapText()
  let isFirst = true
  const add = (row: readonly string[]): void => {
    if (row.length === 1 && row[0]?.trim() === '') return
    const padding = '  |'.repeat(width - row.length)
    markdown.add(`| ${row.map(cell).join(' | ')} |${padding}\n`)
    if (isFirst) markdown.add(`|${' --- |'.repeat(width)}\n`)
    isFirst = false
  }
  const garbage = new GarbagePacer()
  for await (const text of textOf(path, encoding)) {
    for (const row of rows.read(text)) add(row)
    garbage.countCharacters(text.length)
  }
  for (const row of rows.end()) add(row)
  const nothing = { html: null, pages: null, blocks: null, links: [], images: [], metadata: {}, warning: null }
  return { markdown: markdown.take(), ...nothing }
}
