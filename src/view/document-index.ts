import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { openIndexFile } from '#src/corpus/search/index-file.ts'
import type { DeadLetter, DocumentRecord } from '#src/document/record.ts'
import type { DocumentRow, Sort } from './api-schemas.ts'

/** Empty texts and nulls do not filter. */
export interface DocumentQuery {
  readonly text: string
  readonly outcome: string
  readonly code: string
  readonly format: string
  readonly parser: string
  /** Grades below this, 0 to 1. */
  readonly gradeBelow: number | null
  readonly creditsFrom: number | null
  /** Dates, `2026-11-22`, both included. */
  readonly from: string
  readonly to: string
  readonly sort: Sort
  readonly descending: boolean
  readonly offset: number
  readonly limit: number
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS documents (
  place TEXT PRIMARY KEY, stamp TEXT NOT NULL, pass INTEGER NOT NULL, key TEXT NOT NULL, outcome TEXT NOT NULL,
  code TEXT NOT NULL, format TEXT NOT NULL, parser TEXT NOT NULL, credits REAL NOT NULL, pages INTEGER, grade REAL,
  bytes INTEGER, at TEXT NOT NULL, note TEXT NOT NULL, name TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_key ON documents (key);
CREATE INDEX IF NOT EXISTS by_name ON documents (name, key);
CREATE INDEX IF NOT EXISTS by_at ON documents (at);
CREATE INDEX IF NOT EXISTS by_outcome ON documents (outcome, code, name);
`

const COLUMNS = 'key, outcome, code, format, parser, credits, pages, grade, bytes, at, note'

/** A value of a column, and its number of documents. */
export interface Facet {
  readonly value: string
  readonly count: number
}

/** A problem of partial documents, with `…` for its numbers and names. */
export interface PartialReason {
  readonly reason: string
  readonly count: number
  readonly examples: readonly DocumentRow[]
}

/** Maximum number of reasons on a page. */
const MAX_REASONS = 50

/** `pages 3, 4 of 12 are missing` and `page 7 of 9 is missing` are one reason. */
const withoutNumbers = (problem: string): string =>
  problem
    .replaceAll(/"[^"]*"/g, '…')
    .replaceAll(/\d[\d,.]*(?:(?:, | and |-|–)\d[\d,.]*)*/g, '…')
    .replaceAll(/…(?:(?:,| and)? …)*(?: more)?/g, '…')
    .replaceAll(/\b(page|document|picture|chapter)s?\b/g, '$1s')
    .replaceAll(/\b(?:is|are|was|were) missing\b/g, 'are missing')

/** TTL of cached counts by value: of a million documents they take a second. */
const FACET_MS = 5_000

/** Documents of a store in SQLite: derived from records and dead letters, and rebuilt after a loss. */
export class DocumentIndex implements Disposable {
  readonly #db: DatabaseSync
  readonly #facets = new Map<string, { readonly at: number; readonly values: readonly Facet[] }>()
  readonly #mark: StatementSync
  readonly #insert: StatementSync
  readonly #unlist: StatementSync
  readonly #failed: StatementSync
  #pass = 0

  /** A file, or `:memory:`. */
  constructor(file: string) {
    this.#db = openIndexFile(file)
    this.#db.exec(SCHEMA)
    this.#mark = this.#db.prepare('UPDATE documents SET pass = ? WHERE place = ? AND stamp = ?')
    this.#insert = this.#db.prepare(
      'INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    this.#unlist = this.#db.prepare("DELETE FROM documents WHERE key = ? AND outcome <> 'failed'")
    this.#failed = this.#db.prepare("SELECT 1 FROM documents WHERE key = ? AND outcome = 'failed' AND pass = ?")
  }

  /** A failed document counts as failed, even if outputs of an earlier version are kept. */
  putFailure(place: string, stamp: string, row: DocumentRow): void {
    this.#unlist.run(row.key)
    this.put(place, stamp, row)
  }

  /** Starts a comparison with the store: `endPass` removes rows that neither `markSeen` nor `put` named. */
  beginPass(): void {
    const last = this.#db.prepare('SELECT max(pass) AS pass FROM documents').get() as { pass: number | null }
    this.#pass = (last.pass ?? 0) + 1
  }

  /** True if the place is known with this stamp; marks it as seen. */
  markSeen(place: string, stamp: string): boolean {
    const { changes } = this.#mark.run(this.#pass, place, stamp)
    return Number(changes) > 0
  }

  /** Skips rows that `putFailure` named in this pass. */
  putRecord(place: string, stamp: string, row: DocumentRow): void {
    if (this.#failed.get(row.key, this.#pass) === undefined) this.put(place, stamp, row)
  }

  put(place: string, stamp: string, row: DocumentRow): void {
    const { key, outcome, code, format, parser, credits, pages, grade, bytes, at, note } = row
    this.#insert.run(
      place,
      stamp,
      this.#pass,
      key,
      outcome,
      code,
      format,
      parser,
      credits,
      pages,
      grade,
      bytes,
      at,
      note,
      naturalName(key),
    )
  }

  endPass(): void {
    this.#db.prepare('DELETE FROM documents WHERE pass <> ?').run(this.#pass)
  }

  /** A single transaction: thousands of writes cost one flush. */
  batch(write: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      write()
      this.#db.exec('COMMIT')
    } catch (error) {
      this.#db.exec('ROLLBACK')
      throw error
    }
  }

  find(query: DocumentQuery): { readonly rows: readonly DocumentRow[]; readonly total: number } {
    const { where, values } = conditions(query)
    const { total } = this.#db.prepare(`SELECT count(*) AS total FROM documents ${where}`).get(...values) as {
      total: number
    }
    const direction = query.descending ? 'DESC' : 'ASC'
    const order = query.sort === 'key' ? `name ${direction}, key ${direction}` : `${query.sort} ${direction}, name`
    const rows = this.#db
      .prepare(`SELECT ${COLUMNS} FROM documents ${where} ORDER BY ${order} LIMIT ? OFFSET ?`)
      .all(...values, query.limit, query.offset)
    return { rows: rows as unknown as DocumentRow[], total }
  }

  /** Values of a column with their number of documents, the most frequent first. */
  facet(column: 'outcome' | 'code' | 'format' | 'parser'): readonly Facet[] {
    const known = this.#facets.get(column)
    if (known !== undefined && performance.now() - known.at < FACET_MS) return known.values
    const sql = `SELECT ${column} AS value, count(*) AS count FROM documents WHERE ${column} <> '' GROUP BY 1 ORDER BY 2 DESC LIMIT 100`
    const values = this.#db.prepare(sql).all() as unknown as Facet[]
    this.#facets.set(column, { at: performance.now(), values })
    return values
  }

  totals(): { readonly documents: number; readonly credits: number; readonly pages: number } {
    const sql =
      'SELECT count(*) AS documents, coalesce(sum(credits), 0) AS credits, coalesce(sum(pages), 0) AS pages FROM documents'
    return this.#db.prepare(sql).get() as { documents: number; credits: number; pages: number }
  }

  /** Example failures of a code. */
  examples(code: string, limit: number): readonly DocumentRow[] {
    const sql = `SELECT ${COLUMNS} FROM documents WHERE outcome = 'failed' AND code = ? ORDER BY name LIMIT ?`
    return this.#db.prepare(sql).all(code, limit) as unknown as DocumentRow[]
  }

  /** Partial documents by reason, numbers apart; the most frequent first. */
  partials(examples: number): readonly PartialReason[] {
    const reasons = new Map<string, { reason: string; count: number; examples: DocumentRow[] }>()
    const sql = `SELECT ${COLUMNS} FROM documents WHERE outcome = 'partial' ORDER BY name`
    for (const row of this.#db.prepare(sql).iterate() as Iterable<unknown> as Iterable<DocumentRow>) {
      for (const problem of new Set(row.note.split('; ').map(withoutNumbers))) {
        const known = reasons.get(problem) ?? { reason: problem, count: 0, examples: [] }
        known.count += 1
        if (known.examples.length < examples) known.examples.push(row)
        reasons.set(problem, known)
      }
    }
    return [...reasons.values()].toSorted((one, other) => other.count - one.count).slice(0, MAX_REASONS)
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }
}

function conditions(query: DocumentQuery): { readonly where: string; readonly values: readonly SQLInputValue[] } {
  const all: (readonly [condition: string, value: SQLInputValue | null])[] = [
    ['instr(lower(key), ?) > 0', query.text.toLowerCase() || null],
    ['outcome = ?', query.outcome || null],
    ['code = ?', query.code || null],
    ['format = ?', query.format || null],
    ['parser = ?', query.parser || null],
    ['grade < ?', query.gradeBelow],
    ['credits >= ?', query.creditsFrom],
    ['at >= ?', query.from || null],
    ['at < ?', query.to === '' ? null : `${query.to}T24`],
  ]
  const used = all.filter((one): one is readonly [string, SQLInputValue] => one[1] !== null)
  const where = used.length === 0 ? '' : `WHERE ${used.map(([condition]) => condition).join(' AND ')}`
  return { where, values: used.map(([, value]) => value) }
}

/** Number of digits to pad a number in a name to; longer ones sort as text. */
const DIGITS = 12

/** Natural sort: `page2` before `page10`. */
const naturalName = (key: string): string => key.replaceAll(/\d+/g, (digits) => digits.padStart(DIGITS, '0'))

const extensionOf = (key: string): string => /\.([a-z0-9]{1,8})$/i.exec(key)?.[1]?.toLowerCase() ?? ''

export const rowOfRecord = (record: DocumentRecord): DocumentRow => ({
  key: record.key,
  outcome: record.goneAt === undefined ? record.outcome : 'gone',
  code: '',
  format: extensionOf(record.key),
  parser: record.parser?.class ?? '',
  credits: record.cost.credits,
  pages: record.pages.parsed,
  grade: record.grade?.grade ?? null,
  bytes: record.bytes,
  at: record.finishedAt,
  note: record.problems.join('; '),
})

export const rowOfLetter = ({ key, failure, lastAt }: DeadLetter): DocumentRow => ({
  key,
  outcome: 'failed',
  code: failure.code,
  format: extensionOf(key),
  parser: '',
  credits: 0,
  pages: null,
  grade: null,
  bytes: null,
  at: lastAt,
  note: failure.message,
})
