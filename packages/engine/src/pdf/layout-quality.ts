import type { LayoutQuality } from '../grade/signals.ts'
import type { Fragment } from './fragment.ts'
import { type Box, shared } from './geometry/box.ts'

/** Threshold: fraction of the smaller block. Two blocks with this much in common overlap. */
const OVERLAP = 0.2

export function layoutQuality(fragments: readonly Fragment[]): LayoutQuality {
  const written = fragments.filter(({ markdown, bbox }) => markdown !== '' && bbox !== null)
  const lettersOf = (some: readonly Fragment[]): number => some.reduce((sum, { markdown }) => sum + markdown.length, 0)
  const apart = written.filter((one) => !written.some((other) => other !== one && overlap(one.bbox, other.bbox)))
  const tables = written.filter(({ type }) => type === 'table').flatMap(({ markdown }) => cellsOf(markdown))
  return {
    layout: written.length === 0 ? null : lettersOf(apart) / lettersOf(written),
    tables: tables.length === 0 ? null : tables.filter((cell) => cell !== '').length / tables.length,
  }
}

function overlap(one: Box | null, other: Box | null): boolean {
  if (one === null || other === null) return false
  const [across, down] = [shared(one.x0, one.x1, other.x0, other.x1), shared(one.y0, one.y1, other.y0, other.y1)]
  if (across <= 0 || down <= 0) return false
  const area = ({ x0, y0, x1, y1 }: Box): number => (x1 - x0) * (y1 - y0)
  return across * down > OVERLAP * Math.min(area(one), area(other))
}

/** Returns the cells of a pipe table without its delimiter row. */
function cellsOf(markdown: string): string[] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|(?: *:?-+:? *\|)+$/.test(line))
    .flatMap((line) => line.slice(1, -1).split(/(?<!\\)\|/))
    .map((cell) => cell.trim())
}
