import { assertNever } from '../../assert-never.ts'
import { groupAt, groupText } from './rtf-groups.ts'
import { tableSigns, type TableSign } from './table-signs.ts'

const FALLBACK = /\{\\nonesttables(?![a-z])/g
/** Stands between cells of a row, as in the rows of a table within a cell of any other format. */
const BETWEEN_CELLS = '{ / }'

/** A row of a table: places in the list of signs. */
interface Row {
  readonly level: number
  readonly from: number
  readonly to: number
  /** Of each cell its end. */
  readonly cells: readonly number[]
  readonly holdsTable: boolean
}

/** A row of one cell around a table: what stands in it stands for itself. */
const isFrame = ({ cells, holdsTable }: Row): boolean => cells.length === 1 && holdsTable

/**
 * The file without tables in tables (RTF 1.9.1, "Nested Tables"), whose cells the library mixes up with those of the outer
 * one: a frame around a table is taken away, and any other inner row becomes a line of its cell. What the file shows to
 * readers that know no such tables is left out.
 */
export function withoutNestedTables(rtf: string): string {
  if (!/\\nestcell(?![a-z])/.test(rtf)) return rtf
  const visible = withoutFallbacks(rtf)
  const signs = tableSigns(visible)
  const rows = rowsOf(signs)
  const depths = depthsOf(signs, rows.filter(isFrame))
  // The library wants the columns of a row before its cells. A frame begins where its first inner row does.
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

/** What stands for a sign where its table is `depth` tables deep; null: the sign itself. */
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

/** How many tables deep each sign is where frames are none. */
function depthsOf(signs: readonly TableSign[], frames: readonly Row[]): number[] {
  const starting = Map.groupBy(frames, ({ from }) => from)
  let around: readonly Row[] = []
  return signs.map(({ level }, at) => {
    around = [...around.filter(({ to }) => to >= at), ...(starting.get(at) ?? [])]
    return level - around.filter((frame) => frame.level <= level).length
  })
}

/** Cells with text that are followed by another such cell of their row. */
function cellsBeforeOthers({ from, cells }: Row, signs: readonly TableSign[], rtf: string): number[] {
  const withText = cells.filter((cell, index) => {
    const before = cells[index - 1]
    const start = before === undefined ? signs[from]?.start : signs[before]?.end
    return /[\p{L}\p{N}\p{P}\p{S}]/u.test(groupText(rtf.slice(start, signs[cell]?.start)))
  })
  return withText.slice(0, -1)
}

/** An empty group stands in the place of each: a digit after it would be taken for the parameter of the word before it. */
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
