import { millisecondsOf } from './duration.ts'

const FIELDS = [
  { name: 'second', min: 0, max: 59 },
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'day of the week', min: 0, max: 7 },
] as const

const EXAMPLES = 'a duration such as 30s, 10m or 1d, or a cron pattern such as "0 2 * * *" (daily at two)'
const MONTHS = 'JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC'
const DAYS = 'SUN|MON|TUE|WED|THU|FRI|SAT'

/** Explains why the value of `--every` is invalid, or returns null. */
export function timetableProblem(text: string): string | null {
  const value = text.trim()
  if (/^\d+(?:\.\d+)?\s*[a-z]+$/i.test(value)) {
    const every = /^\d+\s*[smhd]$/.test(value) ? (millisecondsOf(value) ?? 0) : 0
    return every > 0 ? null : `it must be ${EXAMPLES}`
  }
  const parts = value.split(/\s+/)
  if (parts.length !== 5 && parts.length !== 6) return `it must be ${EXAMPLES}`
  const fields = FIELDS.slice(FIELDS.length - parts.length)
  for (const [index, field] of fields.entries()) {
    const problem = fieldProblem(parts[index] ?? '', field)
    if (problem !== null) return problem
  }
  return null
}

function fieldProblem(text: string, { name, min, max }: (typeof FIELDS)[number]): string | null {
  const words = name === 'month' ? `|${MONTHS}` : name === 'day of the week' ? `|${DAYS}` : ''
  const value = `(?:\\d+${words})`
  const item = new RegExp(`^(?:\\*|\\?|L|${value}(?:-${value})?)(?:/\\d+)?(?:#\\d|L|W)?$`, 'i')
  for (const part of text.split(',')) {
    if (!item.test(part)) return `the ${name} "${part}" cannot be read; it must be ${EXAMPLES}`
    const [range = '', step] = part.split('/')
    const numbers = range.replace(/#\d$/, '').match(/\d+/g) ?? []
    const outside = numbers.map(Number).find((number) => number < min || number > max)
    if (outside !== undefined) return `the ${name} is ${outside}; it must be from ${min} to ${max}`
    const [from = 0, to = from] = numbers.map(Number)
    if (from > to) return `the ${name} goes from ${from} to ${to}: write the smaller number first`
    if (step !== undefined && (Number(step) < 1 || Number(step) > max))
      return `the ${name} has the step ${step}; a step must be 1 or more`
  }
  return null
}
