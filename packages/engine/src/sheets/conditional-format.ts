import { SSF } from '@e965/xlsx'

const CONDITION = /\[(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)\]/
/** Sections of a number format are separated by semicolons; texts in quotes, escaped characters and brackets may hold others. */
const SECTION = /(?:"[^"]*"?|\\[^]|_[^]|\*[^]|\[[^\]]*\]?|[^;"\\_*[])+|(?<=;)(?=;|$)/g

interface Section {
  readonly format: string
  readonly operator: string | null
  readonly limit: number
}

/** True for a number format that chooses its section by conditions, as `[>=1000]0.0,"K";0` does. */
export function hasConditions(format: string): boolean {
  return format.includes('[') && CONDITION.test(format)
}

/**
 * A number in a format with conditions as spreadsheet programs show it: where no condition holds in the general format, and
 * with its sign unless the section is for negative numbers alone. The spreadsheet library drops both.
 */
export function conditionalText(format: string, value: number): string {
  const sections = (format.match(SECTION) ?? [])
    .slice(0, 3)
    .filter((part) => !part.includes('@'))
    .map(sectionOf)
  const section = sections.find((_, index) => isFor(sections, index, value))
  const isSignShown = value < 0 && section !== undefined && !isForNegatives(sections, section)
  return `${isSignShown ? '-' : ''}${SSF.format(section?.format ?? 'General', section === undefined ? value : Math.abs(value))}`
}

function sectionOf(part: string): Section {
  const [, operator = null, limit = '0'] = CONDITION.exec(part) ?? []
  return { format: part.replace(CONDITION, ''), operator, limit: Number(limit) }
}

/** A section without a condition takes what is left to it: the first positive numbers, the last all others. */
function isFor(sections: readonly Section[], index: number, value: number): boolean {
  const section = sections[index]
  if (section === undefined || section.operator !== null) return section !== undefined && holds(section, value)
  if (index === sections.length - 1) return true
  return index === 0 ? value > 0 || (value === 0 && sections.length === 2) : value < 0
}

const COMPARED: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
  '<>': (value, limit) => value !== limit,
  '=': (value, limit) => value === limit,
}

const holds = ({ operator, limit }: Section, value: number): boolean =>
  COMPARED[operator ?? '=']?.(value, limit) ?? false

function isForNegatives(sections: readonly Section[], section: Section): boolean {
  if (section.operator !== null)
    return section.operator.startsWith('<') && section.operator !== '<>' && section.limit === 0
  const [first] = sections
  const isFirstPositive = first?.operator === null || (first?.operator.startsWith('>') === true && first.limit === 0)
  return sections[1] === section && (sections.length === 3 || isFirstPositive)
}
