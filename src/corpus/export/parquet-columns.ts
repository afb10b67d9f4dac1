import type { ParquetWriter } from 'hyparquet-writer'
import type { ChunkLine } from './chunk-line.ts'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

interface Column {
  readonly name: keyof ChunkLine
  readonly type: 'text' | 'whole' | 'number' | 'flag' | 'texts' | 'wholes' | 'json'
}

/** The fields of a chunk line in their order. A field without a plain type is JSON. */
export const CHUNK_COLUMNS: readonly Column[] = [
  { name: 'id', type: 'text' },
  { name: 'kind', type: 'text' },
  { name: 'text', type: 'text' },
  { name: 'body', type: 'text' },
  { name: 'context', type: 'text' },
  { name: 'tokens', type: 'whole' },
  { name: 'oversize', type: 'flag' },
  { name: 'document', type: 'text' },
  { name: 'source', type: 'text' },
  { name: 'address', type: 'text' },
  { name: 'index', type: 'whole' },
  { name: 'title', type: 'text' },
  { name: 'headings', type: 'texts' },
  { name: 'caption', type: 'text' },
  { name: 'markdownSpan', type: 'wholes' },
  { name: 'pages', type: 'wholes' },
  { name: 'boxes', type: 'json' },
  { name: 'blocks', type: 'texts' },
  { name: 'sheet', type: 'text' },
  { name: 'anchors', type: 'json' },
  { name: 'table', type: 'json' },
  { name: 'images', type: 'texts' },
  { name: 'contentHash', type: 'text' },
  { name: 'receipts', type: 'texts' },
  { name: 'parser', type: 'json' },
  { name: 'grade', type: 'number' },
  { name: 'outcome', type: 'text' },
  { name: 'goneAt', type: 'text' },
  { name: 'language', type: 'text' },
  { name: 'languageConfidence', type: 'number' },
  { name: 'duplicateOf', type: 'text' },
  { name: 'nearDuplicateOf', type: 'text' },
  { name: 'similarity', type: 'number' },
  { name: 'pii', type: 'texts' },
]

/**
 * Columns that readers filter by: row groups store their minimum and maximum. The writer keeps these values in memory
 * to the end of the file, complete ones for JSON, so texts and JSON have none.
 */
export const COLUMNS_WITH_STATISTICS: ReadonlySet<keyof ChunkLine> = new Set([
  'kind',
  'tokens',
  'document',
  'source',
  'grade',
  'outcome',
  'language',
  'languageConfidence',
  'similarity',
])

const PLAIN = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  whole: { type: 'INT32' },
  number: { type: 'DOUBLE' },
  flag: { type: 'BOOLEAN' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
} as const satisfies Record<string, Partial<SchemaElement>>

export const chunkSchema = (columns: readonly Column[]): SchemaElement[] => [
  { name: 'chunk', num_children: columns.length },
  ...columns.flatMap(elementsOf),
]

/** The chosen columns; all without a choice. */
export const chosenColumns = (columns?: ReadonlySet<string>): readonly Column[] =>
  columns === undefined ? CHUNK_COLUMNS : CHUNK_COLUMNS.filter(({ name }) => columns.has(name))

function elementsOf({ name, type }: Column): SchemaElement[] {
  if (type !== 'texts' && type !== 'wholes') return [{ name, repetition_type: 'OPTIONAL', ...PLAIN[type] }]
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...PLAIN[type === 'texts' ? 'text' : 'whole'] },
  ]
}
