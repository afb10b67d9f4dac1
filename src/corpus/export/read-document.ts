import { createHash } from 'node:crypto'
import type { ChunkableDocument, LayoutBlock } from '#src/corpus/chunks/chunk.ts'
import type { Figure } from '#src/corpus/figures/figure.ts'
import { type BlockLine as FigureLine, figuresOfBlocks } from '#src/corpus/figures/figures-of-blocks.ts'
import { anchorOf } from '@sluice/contract'
import type { DocumentRecord } from '#src/document/record.ts'
import type { Documents } from '#src/ports/output-store.ts'

export type ReadDocument =
  | {
      readonly kind: 'read'
      readonly record: DocumentRecord
      readonly document: ChunkableDocument
      /** Figures with a page and a box, in reading order. */
      readonly figures: readonly Figure[]
      /** Number of figures without them. */
      readonly unlocatedFigures: number
    }
  /** Parsed without the format `markdown`. */
  | { readonly kind: 'no-markdown'; readonly record: DocumentRecord }
  /** Its files differ from its record: `verify --repair` derives them again. */
  | { readonly kind: 'damaged'; readonly record: DocumentRecord }
  /** Removed since it was listed. */
  | { readonly kind: 'removed' }

type Read = Pick<Documents, 'read' | 'readOutput'>

/** Maximum number of reads of a document that is committed again during a read. */
const MAX_READS = 3

/** Reads the input of chunking from a single commit: it verifies every file against the record. */
export async function readDocument(documents: Read, listed: DocumentRecord): Promise<ReadDocument> {
  let record: DocumentRecord | null = listed
  for (let reads = 1; record !== null; reads++) {
    const found = await readOnce(documents, record)
    if (found.kind !== 'damaged') return found
    const now = await documents.read(record.key)
    if (now !== null && (reads === MAX_READS || sameFiles(now, record))) return found
    record = now
  }
  return { kind: 'removed' }
}

const sameFiles = (one: DocumentRecord, other: DocumentRecord): boolean =>
  JSON.stringify(one.files) === JSON.stringify(other.files)

async function readOnce(documents: Read, record: DocumentRecord): Promise<ReadDocument> {
  const names = record.files.map(({ name }) => name)
  if (!names.includes('document.md')) return { kind: 'no-markdown', record }
  const wanted = ['document.md', names.includes('blocks.jsonl') ? 'blocks.jsonl' : 'pages.jsonl']
  const read = wanted.map(async (name) => (names.includes(name) ? readWhole(documents, record, name) : ''))
  const [markdown, layout] = await Promise.all(read)
  if (typeof markdown !== 'string' || typeof layout !== 'string') return { kind: 'damaged', record }
  const fileName = record.key.slice(record.key.lastIndexOf('/') + 1)
  const lines = layout.split('\n').filter((line) => line !== '')
  if (wanted[1] === 'pages.jsonl') {
    const pages = lines.map((line) => pageOf(JSON.parse(line) as PageLine))
    return {
      kind: 'read',
      record,
      document: { markdown, blocks: [], pages, fileName },
      figures: [],
      unlocatedFigures: 0,
    }
  }
  const { blocks, figures, unlocated } = layoutOf(lines.map((line) => JSON.parse(line) as BlockLine))
  return {
    kind: 'read',
    record,
    document: { markdown, blocks, pages: [], fileName },
    figures,
    unlocatedFigures: unlocated,
  }
}

/** A figure without its own text is cited with its caption, which becomes a chunk of kind `figure`. */
function layoutOf(lines: readonly BlockLine[]) {
  const { figures, captioned, unlocated } = figuresOfBlocks(lines)
  // After the caption: of two blocks with one span, the last decides the kind.
  const ofCaptions = captioned.flatMap(({ line, span }) => blockOf({ ...line, markdownSpan: span }))
  return { blocks: [...lines.flatMap(blockOf), ...ofCaptions], figures, unlocated }
}

/** Null if the file differs from the record. */
async function readWhole(documents: Read, record: DocumentRecord, name: string): Promise<string | null> {
  const bytes = await documents.readOutput(record.key, name, record)
  const digest = bytes === null ? null : createHash('sha256').update(bytes).digest('hex')
  return bytes !== null && record.files.some((file) => file.name === name && file.sha256 === digest)
    ? bytes.toString('utf8')
    : null
}

interface BlockLine extends FigureLine {
  readonly id: string
  readonly anchor?: unknown
}

function blockOf({ pageNumber, id, type, bbox, markdownSpan, anchor: returned }: BlockLine): LayoutBlock[] {
  if (markdownSpan === null || markdownSpan[1] <= markdownSpan[0]) return []
  const anchor = anchorOf(returned)
  return [{ id, type, page: pageNumber, bbox, span: markdownSpan, ...(anchor !== null && { anchor }) }]
}

interface PageLine {
  readonly pageNumber: number
  readonly markdown: string
}

const pageOf = ({ pageNumber, markdown }: PageLine): ChunkableDocument['pages'][number] => ({
  page: pageNumber,
  markdown,
})
