import {
  type AnchoredBlock,
  extensionsOf,
  type Block,
  type BlockPage,
  type ParsedData,
  type ParsedPage,
} from '@sluice/contract'
import type { SourceKey } from '#src/document/ids.ts'

/**
 * Derives a document's outputs from a parsed answer: name → bytes, in a fixed order. It is deterministic: the same
 * answer gives the same bytes. A file exists if the answer has its field, so an empty file differs from an unrequested
 * one.
 *
 * - `document.md`: the document as Markdown
 * - `pages.jsonl`: one page per line, `{document, headings, pageNumber, markdown}`
 * - `blocks.jsonl`: one block per line, with `document` and `headings`. Blocks of a PDF have `pageNumber`, and `width`,
 *   `height`, `status` of their page. These are null in any other document, whose blocks have an `anchor`
 * - `document.html`, `raw.html`, `summary.md`: unchanged from the answer
 * - `links.json`, `images.json`: arrays of text; `data.json`: the result of the `json` format
 *
 * `document` is the source key; `headings` are the enclosing headings of a block, or those open at the start of a page.
 */
export function renderOutputs(data: ParsedData, document: SourceKey): ReadonlyMap<string, Uint8Array> {
  const files: readonly (readonly [name: string, text: string | null])[] = [
    ['document.md', data.markdown ?? null],
    ['pages.jsonl', data.pages ? lines(pageRows(data.pages, document)) : null],
    ['blocks.jsonl', lines(blockRows(data, document))],
    ['document.html', data.html ?? null],
    ['raw.html', data.rawHtml ?? null],
    ['links.json', json(data.links)],
    ['images.json', json(data.images)],
    ['data.json', json(data.json)],
    ['summary.md', data.summary ?? null],
  ]
  return new Map(files.flatMap(([name, text]) => (text === null ? [] : [[name, Buffer.from(text)] as const])))
}

function pageRows(pages: readonly ParsedPage[], document: SourceKey): readonly object[] {
  const path = new HeadingPath()
  return pages.map(({ pageNumber, markdown }) => {
    const headings = path.readPage(markdown)
    return { document, headings, pageNumber, markdown }
  })
}

/** Null if the answer has no blocks. */
function blockRows(data: ParsedData, document: SourceKey): readonly object[] | null {
  const path = new HeadingPath()
  const rowOf = ({ block, ...page }: BlockOnPage): object => {
    const headings = path.read(block.content)
    return { document, headings, ...page, ...block }
  }
  if (data.blocks) return data.blocks.flatMap(withPage).map(rowOf)
  const { markdown = '' } = data
  const anchored = extensionsOf({ sluice: data.sluice })?.blocks ?? null
  return anchored === null ? null : anchored.map((block, index) => rowOf(withoutPage(block, index, markdown)))
}

interface BlockOnPage extends Pick<BlockPage, 'width' | 'height'> {
  readonly pageNumber: number | null
  readonly status: string | null
  readonly block: Block
}

function withPage({ pageNumber, width, height, status, items }: BlockPage): BlockOnPage[] {
  return items.map((block) => ({ pageNumber, width, height, status, block }))
}

function withoutPage({ markdownSpan, ...block }: AnchoredBlock, readingOrder: number, markdown: string): BlockOnPage {
  const content = markdown.slice(...markdownSpan)
  const unknown = { label: null, bbox: null, source: null, confidence: { layout: null, ocr: null } }
  return {
    pageNumber: null,
    width: null,
    height: null,
    status: null,
    block: { ...block, ...unknown, content, markdownSpan, readingOrder },
  }
}

function lines(rows: readonly object[] | null): string | null {
  return rows === null ? null : rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

function json(value: unknown): string | null {
  return value === undefined || value === null ? null : `${JSON.stringify(value, null, 2)}\n`
}

interface OpenHeading {
  readonly level: number
  readonly text: string
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+([^\n]*?)(?:[ \t]+#+)?[ \t]*$/
const FENCE = /^ {0,3}(?:```|~~~)/

/** Tracks the enclosing headings of text, outermost first, during a scan of a document in order. */
class HeadingPath {
  #open: readonly OpenHeading[] = []
  #isFenced = false

  /** Headings open at the present position. */
  get headings(): readonly string[] {
    return this.#open.map(({ text }) => text)
  }

  /** Reads a block, and returns its enclosing headings. A heading does not enclose itself. */
  read(block: string): readonly string[] {
    const [, marks = '', text = ''] = HEADING.exec(block) ?? []
    if (marks === '') return this.headings
    this.#open = this.#open.filter(({ level }) => level < marks.length)
    const above = this.headings
    if (text !== '') this.#open = [...this.#open, { level: marks.length, text }]
    return above
  }

  /** Reads a page, and returns the headings open at its start. */
  readPage(markdown: string): readonly string[] {
    const open = this.headings
    for (const line of markdown.split('\n')) {
      if (FENCE.test(line)) this.#isFenced = !this.#isFenced
      else if (!this.#isFenced) this.read(line)
    }
    return open
  }
}
