import { SSF } from '@e965/xlsx'

const CONDITION = /\[(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)\]/
/**
 * Matches a section of a number format. Semicolons separate sections. Quoted text, escaped characters and brackets may
 * contain others.
 */
const SECTION = /(?:"[^"]*"?|\\[^]|_[^]|\*[^]|\[[^\]]*\]?|[^;"\\_*[])+|(?<=;)(?=;|$)/g

interface Section {
  readonly format: string
  readonly operator: string | null
  readonly limit: number
}

/** True for a number format that selects its section by conditions, such as `[>=1000]0.0,"K";0`. */
export function hasConditions(format: string): boolean {
  return format.includes('[') && CONDITION.test(format)
}

/**
 * Formats a number with conditions as spreadsheet programs do. The fallback is the general format if no condition
 * holds. The sign remains unless the section is for negative numbers alone. The spreadsheet library drops both.
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

/**
 * A section without a condition takes the remaining numbers: the first section positive ones, the last section all
 * others.
 */
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
