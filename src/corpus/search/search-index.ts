import { hash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { asUnusable, isDamaged, lockWriter, openIndexFile, removeIndexFile } from './index-file.ts'
import type { Match } from './parse-query.ts'
import { indexedText } from './terms.ts'

/** Facts of a document that its hits show or filter by. */
type DocumentFacts = Pick<ChunkLine, 'source' | 'contentHash' | 'receipts' | 'parser' | 'outcome' | 'goneAt'>

/** Facts of a chunk that its hits show or filter by. */
type ChunkFacts = Pick<
  ChunkLine,
  | 'kind'
  | 'tokens'
  | 'oversize'
  | 'index'
  | 'title'
  | 'headings'
  | 'caption'
  | 'pages'
  | 'boxes'
  | 'sheet'
  | 'anchors'
  | 'grade'
>

/** `read`: its chunks are in the index. The others have none. */
export type DocumentStatus = 'read' | 'no_markdown' | 'damaged' | 'gone'

export interface IndexedDocument {
  readonly key: string
  /** Digest of the record, as in the change feed. */
  readonly state: string
  readonly status: DocumentStatus
  /** Number of pages that the parser did not return. */
  readonly missingPages: number
  readonly facts: DocumentFacts | null
  readonly chunks: readonly ChunkLine[]
}

/** A chunk that matches, not yet compared with its document. */
export interface Candidate extends ChunkFacts, DocumentFacts {
  readonly id: string
  readonly document: SourceKey
  readonly state: string
  /** BM25; higher is better. */
  readonly score: number
  readonly markdownSpan: readonly [start: number, end: number]
  readonly digest: string
}

/** Reasons why the text of a document is not searched, or not completely (`partial`). */
export type UnreadStatus = 'partial' | 'failed' | 'no_markdown' | 'damaged' | 'gone'

export interface StatusCount {
  readonly status: 'read' | UnreadStatus
  readonly documents: number
  readonly missing: number
}

interface Failure {
  readonly key: string
  readonly code: string
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS search_documents (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, state TEXT NOT NULL, status TEXT NOT NULL,
  partial INTEGER NOT NULL, missing_pages INTEGER NOT NULL, facts TEXT
);
CREATE INDEX IF NOT EXISTS search_coverage ON search_documents (status, partial, missing_pages);
CREATE TABLE IF NOT EXISTS search_chunks (
  id INTEGER PRIMARY KEY, document INTEGER NOT NULL, uuid BLOB NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
  digest BLOB NOT NULL, facts TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS search_by_document ON search_chunks (document);
CREATE VIRTUAL TABLE IF NOT EXISTS search_terms
  USING fts5 (headings, body, content = '', contentless_delete = 1, tokenize = 'ascii');
CREATE VIRTUAL TABLE IF NOT EXISTS search_vocabulary USING fts5vocab (search_terms, row);
CREATE TABLE IF NOT EXISTS search_common (term TEXT PRIMARY KEY, chunks INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_failures (key TEXT PRIMARY KEY, code TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`

/** Documents and failures: `key`, `status`, `missing_pages`. */
const COVERED = `
SELECT key, CASE WHEN status = 'read' AND partial THEN 'partial' ELSE status END AS status, missing_pages FROM search_documents
UNION ALL SELECT key, 'failed', 0 FROM search_failures`

/** Like `COVERED`, without documents that are read completely. */
const UNREAD = `
SELECT key, status FROM search_documents WHERE status IN ('no_markdown', 'damaged', 'gone')
UNION ALL SELECT key, 'partial' FROM search_documents WHERE status = 'read' AND partial = 1
UNION ALL SELECT key, 'failed' FROM search_failures`

/** Counts by the index alone. */
const COUNTS = `
SELECT CASE WHEN status = 'read' AND partial THEN 'partial' ELSE status END AS status, count(*) AS documents,
  sum(missing_pages) AS missing FROM search_documents GROUP BY search_documents.status, partial
UNION ALL SELECT 'failed', count(*), 0 FROM search_failures HAVING count(*) > 0`

const CHUNKS = `
SELECT lower(hex(c.uuid)) AS uuid, c.start, c.stop, lower(hex(c.digest)) AS digest, c.facts AS chunk, d.key, d.state, d.facts
FROM search_chunks c JOIN search_documents d ON d.id = c.document`

/** Headings count twice. The setting is stored with the table. */
const RANK = "INSERT INTO search_terms (search_terms, rank) VALUES ('rank', 'bm25(2.0, 1.0)')"

/** Growth, as one part in four, after which the index is optimized again. */
const GROWTH = 4

/** A term in a hundredth of the chunks is common. */
const COMMON = 100

/**
 * The terms of the chunks of a store, without their text: it comes from the store. A document is replaced in a single
 * transaction.
 */
export class SearchIndex implements Disposable {
  readonly #file: string
  #db: DatabaseSync
  #statements = new Map<string, StatementSync>()

  constructor(file: string) {
    this.#file = file
    this.#db = openedWithTables(file)
  }

  /** Runs a task; a damaged file is replaced by an empty index, which `fill` fills, and the task runs again. */
  async withRepair<Result>(task: () => Promise<Result>, fill?: () => Promise<void>): Promise<Result> {
    try {
      return await task()
    } catch (error) {
      if (!isDamaged(error)) throw asUnusable(error, this.#file)
      this.#db.close()
      removeIndexFile(this.#file)
      this.#statements = new Map()
      this.#db = openedWithTables(this.#file)
      await fill?.()
      return await task()
    }
  }

  /** Null while another process writes. */
  lock(): Disposable | null {
    return lockWriter(this.#file)
  }

  /** Position in the change feed; null for an incomplete index. */
  get cursor(): string | null {
    return (
      (this.#get('SELECT value FROM search_state WHERE name = ?', 'cursor')?.['value'] as string | undefined) ?? null
    )
  }

  set cursor(cursor: string) {
    this.#run('INSERT OR REPLACE INTO search_state VALUES (?, ?)', 'cursor', cursor)
  }

  transaction(write: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      write()
      this.#db.exec('COMMIT')
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw error
    }
  }

  stateOf(key: string): string | null {
    return (this.#get('SELECT state FROM search_documents WHERE key = ?', key)?.['state'] as string | undefined) ?? null
  }

  /** Keys of documents with this status. */
  *keys(status: DocumentStatus | null = null): Generator<string> {
    const sql = 'SELECT key FROM search_documents WHERE ? IS NULL OR status = ?'
    for (const { key } of this.#db.prepare(sql).all(status, status)) yield String(key)
  }

  replace({ key, state, status, missingPages, facts, chunks }: IndexedDocument): void {
    this.remove(key)
    const isPartial = facts?.outcome === 'partial' ? 1 : 0
    const document = this.#run(
      'INSERT INTO search_documents (key, state, status, partial, missing_pages, facts) VALUES (?, ?, ?, ?, ?, ?)',
      key,
      state,
      status,
      isPartial,
      missingPages,
      facts === null ? null : JSON.stringify(facts),
    )
    for (const chunk of chunks) {
      const [start, end] = chunk.markdownSpan
      const row = this.#run(
        'INSERT INTO search_chunks (document, uuid, start, stop, digest, facts) VALUES (?, ?, ?, ?, ?, ?)',
        document,
        Buffer.from(chunk.id.replaceAll('-', ''), 'hex'),
        start,
        end,
        Buffer.from(bodyDigest(chunk.body), 'hex'),
        JSON.stringify(chunkFacts(chunk)),
      )
      const headings = headingsOf(chunk)
      const body = `${contextOf(chunk, headings)}\n${chunk.body}`
      const columns = [indexedText([...headings].join('\n')), indexedText(body)]
      this.#run('INSERT INTO search_terms (rowid, headings, body) VALUES (?, ?, ?)', row, ...columns)
    }
  }

  remove(key: string): void {
    const id = this.#get('SELECT id FROM search_documents WHERE key = ?', key)?.['id']
    if (typeof id !== 'number') return
    this.#run('DELETE FROM search_terms WHERE rowid IN (SELECT id FROM search_chunks WHERE document = ?)', id)
    this.#run('DELETE FROM search_chunks WHERE document = ?', id)
    this.#run('DELETE FROM search_documents WHERE id = ?', id)
  }

  setFailures(failures: readonly Failure[]): void {
    this.#run('DELETE FROM search_failures')
    for (const { key, code } of failures) this.#run('INSERT OR REPLACE INTO search_failures VALUES (?, ?)', key, code)
  }

  /** Streams matching chunks, the best first. The caller reads it without a pause: writes wait for it. */
  *candidates({ expression, times }: Match): Generator<Candidate> {
    const sql = 'SELECT rowid AS id, -rank AS score FROM search_terms WHERE search_terms MATCH ? ORDER BY rank'
    const read = this.#prepared(`${CHUNKS} WHERE c.id = ?`)
    for (const { id, score } of this.#db.prepare(sql).iterate(expression)) {
      const row = read.get(Number(id))
      if (row !== undefined) yield candidateOf(row, Number(score) / times)
    }
  }

  /** Status of a document, null if it is not in the index, and the number of its chunks. */
  document(key: string): { readonly status: DocumentStatus | null; readonly total: number } {
    const row = this.#get('SELECT id, status FROM search_documents WHERE key = ?', key)
    if (row === undefined) return { status: null, total: 0 }
    const total = this.#prepared('SELECT count(*) AS total FROM search_chunks WHERE document = ?').get(
      Number(row['id']),
    )
    return { status: row['status'] as DocumentStatus, total: Number(total?.['total']) }
  }

  /** Chunks of a document, in order. */
  chunksOf(key: string, from: number, limit: number): readonly Candidate[] {
    const rows = this.#prepared(`${CHUNKS} WHERE d.key = ? ORDER BY c.id LIMIT ? OFFSET ?`).all(key, limit, from)
    return rows.map((row) => candidateOf(row, 0))
  }

  /** Numbers of chunks, at the last `optimize`: of all, and of those with a term, null for less than a hundredth. */
  get frequencies(): { readonly chunks: number; readonly of: (term: string) => number | null } {
    const common = (term: string): unknown =>
      this.#get('SELECT chunks FROM search_common WHERE term = ?', term)?.['chunks']
    return { chunks: this.#optimizedChunks, of: (term) => (common(term) as number | undefined) ?? null }
  }

  /** After much growth: merges the parts of the index, and counts its common terms. */
  optimize(): void {
    const chunks = Number(this.#get('SELECT count(*) AS chunks FROM search_chunks')?.['chunks'] ?? 0)
    const before = this.#optimizedChunks
    if (Math.abs(chunks - before) <= before / GROWTH) return
    this.#db.exec("INSERT INTO search_terms (search_terms) VALUES ('optimize')")
    this.transaction(() => {
      this.#run('DELETE FROM search_common')
      this.#run('INSERT INTO search_common SELECT term, doc FROM search_vocabulary WHERE doc >= ?', chunks / COMMON)
      this.#run("INSERT OR REPLACE INTO search_state VALUES ('optimized', ?)", String(chunks))
    })
  }

  /** Numbers of documents by status; of all documents without a filter. */
  counts(isWanted: ((key: string) => boolean) | null): readonly StatusCount[] {
    if (isWanted === null) {
      return this.#prepared(COUNTS).all() as unknown as StatusCount[]
    }
    const counts = new Map<string, StatusCount>()
    for (const row of this.#db.prepare(COVERED).iterate()) {
      if (!isWanted(String(row['key']))) continue
      const status = row['status'] as StatusCount['status']
      const { documents, missing } = counts.get(status) ?? { documents: 0, missing: 0 }
      counts.set(status, { status, documents: documents + 1, missing: missing + Number(row['missing_pages']) })
    }
    return [...counts.values()]
  }

  /** The first documents that are not read completely. */
  unread(isWanted: ((key: string) => boolean) | null, most: number): readonly { key: string; status: UnreadStatus }[] {
    const found: { key: string; status: UnreadStatus }[] = []
    for (const { key, status } of this.#db.prepare(UNREAD).iterate()) {
      if (isWanted?.(String(key)) !== false) found.push({ key: String(key), status: status as UnreadStatus })
      if (found.length === most) break
    }
    return found
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }

  get #optimizedChunks(): number {
    return Number(this.#get("SELECT value FROM search_state WHERE name = 'optimized'")?.['value'] ?? 0)
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #get(sql: string, ...values: readonly string[]): Record<string, unknown> | undefined {
    return this.#prepared(sql).get(...values)
  }

  /** Returns the number of the inserted row. */
  #run(sql: string, ...values: readonly (string | number | null | Uint8Array)[]): number {
    return Number(this.#prepared(sql).run(...values).lastInsertRowid)
  }
}

function openedWithTables(file: string): DatabaseSync {
  const db = openIndexFile(file)
  const isNew = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'search_common'").get() === undefined
  if (isNew) db.exec(`BEGIN IMMEDIATE;${SCHEMA}${RANK};COMMIT`)
  return db
}

/** First 64 bits of SHA-256: a span with another text is no hit. */
export const bodyDigest = (body: string): string => hash('sha256', body).slice(0, 16)

const HEADING = /^#{1,6}[ \t]+(.+)$/gm

/** Title, headings above and in the body, caption, and the header of a table. */
function headingsOf({ title, headings, caption, body, table }: ChunkLine): ReadonlySet<string> {
  const own = [...body.matchAll(HEADING)].map(([, text = '']) => text)
  const columns = Object.keys(table?.rows[0] ?? {})
  return new Set([title, ...headings, caption, ...own, ...columns].filter((text) => text !== null))
}

/** Other context of a chunk: the outer items of a list, the header of a part of a table. */
function contextOf({ text, body }: ChunkLine, headings: ReadonlySet<string>): string {
  const lines = text.slice(0, text.length - body.length).split('\n')
  return lines.filter((line) => !headings.has(line.replace(/^#{1,6}[ \t]+/, '').trim())).join('\n')
}

function chunkFacts(chunk: ChunkLine): ChunkFacts {
  const { kind, tokens, oversize, index, title, headings, caption, pages, boxes, sheet, anchors, grade } = chunk
  return { kind, tokens, oversize, index, title, headings, caption, pages, boxes, sheet, anchors, grade }
}

function candidateOf(row: Readonly<Record<string, unknown>>, score: number): Candidate {
  const id = String(row['uuid']).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return {
    ...(JSON.parse(String(row['chunk'])) as ChunkFacts),
    ...(JSON.parse(String(row['facts'])) as DocumentFacts),
    id,
    document: row['key'] as SourceKey,
    state: String(row['state']),
    score,
    markdownSpan: [Number(row['start']), Number(row['stop'])],
    digest: String(row['digest']),
  }
}
