import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import { type ChunkTest, columnsOf, parseWhere } from '#src/corpus/export/where.ts'
import { SetupError } from '#src/document/setup-error.ts'

/** Columns of chunks that the index holds; a condition of a search reads no others. */
const SEARCH_COLUMNS: ReadonlySet<string> = new Set<keyof ChunkLine>([
  'id',
  'kind',
  'tokens',
  'oversize',
  'document',
  'source',
  'index',
  'title',
  'headings',
  'caption',
  'markdownSpan',
  'pages',
  'sheet',
  'contentHash',
  'receipts',
  'grade',
  'outcome',
  'goneAt',
])

/**
 * Parses a condition on the columns that the index has.
 *
 * @throws {SetupError} for a syntax error, or another column
 */
export function parseSearchWhere(text: string): ChunkTest {
  const test = parseWhere(text)
  const unknown = [...columnsOf(text)].filter((name) => !SEARCH_COLUMNS.has(name))
  if (unknown.length === 0) return test
  throw new SetupError(
    `--where: the index has no column ${unknown.join(', ')}: use ${[...SEARCH_COLUMNS].join(', ')}, or export --where for the others`,
  )
}
