import { assertNever } from '../../assert-never.ts'
import { groupAt, groupText } from './rtf-groups.ts'
import { tableSigns, type TableSign } from './table-signs.ts'

const FALLBACK = /\{\\nonesttables(?![a-z])/g
/** Separator between cells of a row, the same as for nested tables of any other format. */
const BETWEEN_CELLS = '{ / }'

/** A row of a table, as indexes into the list of signs. */
interface Row {
  readonly level: number
  readonly from: number
  readonly to: number
  /** End of each cell. */
  readonly cells: readonly number[]
  readonly holdsTable: boolean
}

/** A row of one cell around a table. Its content replaces it. */
const isFrame = ({ cells, holdsTable }: Row): boolean => cells.length === 1 && holdsTable

/**
 * Removes nested tables (RTF 1.9.1, "Nested Tables"), because the library's parser mixes their cells with those of the
 * outer table. A frame around a table goes, and any other inner row becomes a line of its cell. Omits the fallback for
 * readers without nested tables.
 */
export function withoutNestedTables(rtf: string): string {
  if (!/\\nestcell(?![a-z])/.test(rtf)) return rtf
  const visible = withoutFallbacks(rtf)
  const signs = tableSigns(visible)
  const rows = rowsOf(signs)
  const depths = depthsOf(signs, rows.filter(isFrame))
  // The library's parser requires the columns of a row before its cells. A frame starts at its first inner row.
  const definitions = new Map(
    rows.flatMap(({ from, to }) => (depths[to] === 1 ? [[from, signs[to]?.definition ?? ''] as const] : [])),
  )
  const separated = new Set(rows.flatMap((row) => cellsBeforeOthers(row, signs, visible)))
  const kept: string[] = []
  let from = 0
  signs.forEach((sign, at) => {
    const text = written(sign, depths[at] ?? 0, separated.has(at)) ?? visible.slice(sign.start, sign.end)
    kept.push(visible.slice(from, sign.start), definitions.get(at) ?? '', text)
    from = sign.end
  })
  return kept.join('') + visible.slice(from)
}

/** Returns the replacement of a sign in a table at nesting depth `depth`. Null keeps the sign. */
function written({ kind, level }: TableSign, depth: number, isSeparated: boolean): string | null {
  if (level === depth && level < 2) return null
  switch (kind) {
    case 'paragraph':
      return depth === 0 ? String.raw`\itap0 ` : String.raw`\intbl\itap1 `
    case 'inTable':
      return depth === 0 ? '{}' : null
    case 'cell':
      if (depth < 2) return depth === 0 ? String.raw`\par ` : String.raw`\cell `
      return isSeparated ? BETWEEN_CELLS : '{}'
    case 'row':
      if (depth < 2) return depth === 0 ? '{}' : String.raw`\row `
      return String.raw`{\par}`
    default:
      return assertNever(kind)
  }
}

function rowsOf(signs: readonly TableSign[]): Row[] {
  const rows: Row[] = []
  const open: { from: number; cells: number[]; holdsTable: boolean }[] = []
  signs.forEach(({ kind, level }, at) => {
    const row = (open[level] ??= { from: at, cells: [], holdsTable: false })
    if (kind === 'cell') row.cells.push(at)
    if (kind !== 'row') return
    rows.push({ level, to: at, ...row })
    const outer = (open[level - 1] ??= { from: row.from, cells: [], holdsTable: false })
    outer.holdsTable = true
    open.length = level
  })
  return rows
}

/** Returns the nesting depth of each sign, without frames. */
function depthsOf(signs: readonly TableSign[], frames: readonly Row[]): number[] {
  const starting = Map.groupBy(frames, ({ from }) => from)
  let around: readonly Row[] = []
  return signs.map(({ level }, at) => {
    around = [...around.filter(({ to }) => to >= at), ...(starting.get(at) ?? [])]
    return level - around.filter((frame) => frame.level <= level).length
  })
}

/** Returns the cells with text before another such cell of their row. */
function cellsBeforeOthers({ from, cells }: Row, signs: readonly TableSign[], rtf: string): number[] {
  const withText = cells.filter((cell, index) => {
    const before = cells[index - 1]
    const start = before === undefined ? signs[from]?.start : signs[before]?.end
    return /[\p{L}\p{N}\p{P}\p{S}]/u.test(groupText(rtf.slice(start, signs[cell]?.start)))
  })
  return withText.slice(0, -1)
}

/**
 * Replaces each fallback with an empty group. Otherwise a following digit would become the parameter of the previous
 * control word.
 */
function withoutFallbacks(rtf: string): string {
  const kept: string[] = []
  let from = 0
  for (const { index } of rtf.matchAll(FALLBACK)) {
    if (index < from) continue
    kept.push(rtf.slice(from, index), '{}')
    from = index + groupAt(rtf, index).length
  }
  return kept.join('') + rtf.slice(from)
}
