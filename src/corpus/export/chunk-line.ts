import { hash } from 'node:crypto'
import type { Chunk, TableRows } from '#src/corpus/chunks/chunk.ts'
import { type Hygiene, type HygieneReader, NO_HYGIENE } from '#src/corpus/hygiene/hygiene.ts'
import { extensionOf } from '@sluice/contract'
import type { SourceKey } from '#src/document/ids.ts'
import { type DocumentRecord, receiptsOf } from '#src/document/record.ts'

/** A line of `chunks.jsonl` (docs/schemas/chunks-line.schema.json). */
export interface ChunkLine extends Hygiene {
  readonly id: string
  readonly kind: Chunk['kind']
  readonly text: string
  readonly body: string
  /** Text of a model about the chunk, at the start of `text`; null without one. */
  readonly context: string | null
  readonly tokens: number
  readonly oversize: boolean
  readonly document: SourceKey
  readonly source: string
  /** Address of its page on the web; null for any other document. */
  readonly address: string | null
  /** Index among the chunks of its document, from 0. */
  readonly index: number
  readonly title: string | null
  readonly headings: readonly string[]
  readonly caption: string | null
  readonly markdownSpan: Chunk['span']
  readonly pages: readonly number[]
  readonly boxes: Chunk['boxes']
  readonly blocks: readonly string[]
  /** Sheet of a spreadsheet, the first of several. */
  readonly sheet: string | null
  /** Slides, cells of sheets, chapters or sections that the body overlaps; empty if the parser returned none. */
  readonly anchors: Chunk['anchors']
  readonly table: {
    readonly firstRow: number
    readonly lastRow: number
    readonly rows: readonly Readonly<Record<string, string>>[]
    readonly html: string
  } | null
  /** Images of the figures in the chunk, as paths in the export's folder; null if the export has no images. */
  readonly images: readonly string[] | null
  readonly contentHash: string
  readonly receipts: readonly string[]
  readonly parser: { readonly class: string; readonly origin: string; readonly version: string | null } | null
  /** Lowest grade of its pages; null if the parser gave none. */
  readonly grade: number | null
  readonly outcome: DocumentRecord['outcome']
  /** Time at which the document was found gone from its source. */
  readonly goneAt: string | null
}

/** Builds the lines of one document's chunks. */
export class ChunkLines {
  readonly #record: DocumentRecord
  readonly #isSpreadsheet: boolean
  /** Number of earlier occurrences of a text in this document: equal texts get different ids. */
  readonly #seen = new Map<string, number>()
  readonly #hygieneOf: (chunk: Pick<ChunkLine, 'id' | 'body'>) => Hygiene
  #index = 0

  /** `hygiene`: null if its columns are off. */
  constructor(record: DocumentRecord, markdown: string, hygiene: HygieneReader | null) {
    this.#record = record
    const language = hygiene?.languageOf(markdown)
    this.#hygieneOf = (chunk) => (hygiene === null || language === undefined ? NO_HYGIENE : hygiene.of(chunk, language))
    this.#isSpreadsheet = SPREADSHEETS.has(extensionOf(record.key) ?? '')
  }

  of(chunk: Chunk): ChunkLine {
    const { key, source, contentHash, outcome, parser, grade, metadata, goneAt = null } = this.#record
    const { kind, text, body, tokens, oversize, title, headings, caption, span, pages, boxes, blocks, anchors, table } =
      chunk
    const id = this.#id(chunk)
    return {
      id,
      kind,
      text,
      body,
      context: null,
      tokens,
      oversize,
      document: key,
      source,
      address: metadata?.address ?? null,
      index: this.#index++,
      title,
      headings,
      caption,
      markdownSpan: span,
      pages,
      boxes,
      blocks,
      sheet: anchors.find((anchor) => 'sheet' in anchor)?.sheet ?? (this.#isSpreadsheet ? (headings[0] ?? null) : null),
      anchors,
      table: table === null ? null : tableOf(table),
      images: null,
      contentHash,
      receipts: receiptsOf(this.#record).filter((receipt) => receipt !== null),
      parser: parser === undefined ? null : { class: parser.class, origin: parser.origin, version: parser.version },
      grade: grade === undefined ? null : lowest(pages.map((page) => grade.pages[page - 1] ?? grade.grade)),
      outcome,
      goneAt,
      ...this.#hygieneOf({ id, body }),
    }
  }

  #id({ kind, text }: Chunk): string {
    const { sourceId = this.#record.source, key } = this.#record
    const digest = hash('sha256', `${sourceId}\n${key}\n${kind}\n${text}`)
    const before = this.#seen.get(digest) ?? 0
    this.#seen.set(digest, before + 1)
    return asUuid(before === 0 ? digest : hash('sha256', `${digest}\n${before}`))
  }
}

const SPREADSHEETS = new Set<string>(['xlsx', 'xls', 'xlsm', 'xlsb', 'ods'])

const lowest = (grades: readonly number[]): number | null => (grades.length === 0 ? null : Math.min(...grades))

/** Version 8 of RFC 9562, from a digest: vector stores accept only UUIDs as ids. */
function asUuid(digest: string): string {
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 3) | 8).toString(16)
  const [a, b, c] = [digest.slice(0, 8), digest.slice(8, 12), digest.slice(13, 16)]
  return `${a}-${b}-8${c}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`
}

function tableOf({ header, rows, firstRow }: TableRows): ChunkLine['table'] {
  const names = columnNames(header)
  const asHtml = (tag: string, cells: readonly string[]): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`
  const body = rows.map((row) => asHtml('td', row)).join('')
  return {
    firstRow,
    lastRow: firstRow + rows.length - 1,
    rows: rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? '']))),
    html: `<table><thead>${asHtml('th', header)}</thead><tbody>${body}</tbody></table>`,
  }
}

/** Names a column without a name by its number, and numbers duplicates. */
function columnNames(header: readonly string[]): readonly string[] {
  const names = new Set<string>()
  header.forEach((cell, index) => {
    const name = cell === '' ? `column ${index + 1}` : cell
    let free = name
    for (let number = 2; names.has(free); number++) free = `${name} (${number})`
    names.add(free)
  })
  return [...names]
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
