import { asCell, escapeInline } from '../markup/escape-markdown.ts'
import { htmlComment } from '../markup/html-comment.ts'
import { pipeTable } from '../markup/pipe-table.ts'
import type { Insertion } from './placeholders.ts'
import { attributeOf, childOf, childrenOf, descendants, textOf, type XmlElement } from './xml-tree.ts'

/** Threshold: number of points. A larger table does not help a reader. */
const MAX_POINTS = 10_000

interface Series {
  readonly name: string
  readonly categories: ReadonlyMap<number, string>
  readonly values: ReadonlyMap<number, string>
}

/**
 * Returns title, axis titles and data of a chart (ECMA-376 part 1, 21.2; `chartex` for the newer kinds). Omits the data
 * if all of it `isKnown`, because most charts of a workbook show cells of its tables.
 */
export function chartInsertion(part: XmlElement, isKnown: (text: string) => boolean = () => false): Insertion {
  const { title, category, others } = chartTitles(part)
  const series = [...descendants(part, 'c:ser')].map(readSeries)
  const data = series.length > 0 ? seriesTable(series, category) : extendedTable(part)
  const table = data.flat().every((text) => text === '' || text === escapeInline(category) || isKnown(text)) ? [] : data
  const further = table.length > 0 ? others : [category, ...others]
  const axes = further
    .filter((text) => text !== '')
    .map((text) => escapeInline(text))
    .join(', ')
  const heading = title === '' ? '' : `**${escapeInline(title)}**`
  const [inParentheses, aside] = axes === '' ? ['', ''] : [`(${axes})`, htmlComment('axes', axes)]
  // With a title or data, the axis titles are not a separate text.
  const caption = joined([heading, title === '' && table.length === 0 ? inParentheses : aside], ' ')
  const block = joined([caption, table.length > 0 ? pipeTable(table) : ''], '\n\n')
  const inline = [
    joined([heading, inParentheses], ' '),
    ...table.map((row) => row.filter((cell) => cell !== '').join(' ')),
  ]
  return { block, inline: joined(inline, '; ') }
}

const joined = (texts: readonly string[], separator: string): string =>
  texts.filter((text) => text !== '').join(separator)

interface ChartTitles {
  readonly title: string
  /** Title of the category axis, the header of the first column. */
  readonly category: string
  readonly others: readonly string[]
}

function chartTitles(part: XmlElement): ChartTitles {
  const of = (parent: XmlElement): string => {
    const title = childOf(parent, 'c:title') ?? childOf(parent, 'cx:title')
    return title === undefined ? '' : richText(title)
  }
  const [chart] = [...descendants(part, 'c:chart', 'cx:chart')]
  const [categories, ...further] = [...descendants(part, 'c:catAx', 'c:dateAx', 'c:valAx', 'c:serAx', 'cx:axis')].map(
    of,
  )
  return {
    title: chart === undefined ? '' : of(chart),
    category: categories ?? '',
    others: further.filter((text) => text !== ''),
  }
}

function richText(title: XmlElement): string {
  const paragraphs = [...descendants(title, 'a:p')].map((paragraph) =>
    [...descendants(paragraph, 'a:t')].map(textOf).join(''),
  )
  const text =
    paragraphs.length > 0 ? paragraphs.join(' ') : [...descendants(title, 'c:v', 'cx:v')].map(textOf).join(' ')
  return text.replace(/\s+/g, ' ').trim()
}

function readSeries(series: XmlElement): Series {
  const name = [...descendants(childOf(series, 'c:tx') ?? series, 'c:v')][0]
  const categories = childOf(series, 'c:cat') ?? childOf(series, 'c:xVal')
  const values = childOf(series, 'c:val') ?? childOf(series, 'c:yVal')
  return {
    name: childOf(series, 'c:tx') === undefined ? '' : textOf(name).trim(),
    categories: points(categories),
    values: points(values),
  }
}

/** Returns texts by index. Joins categories of several levels outermost first. The file stores the innermost first. */
function points(source: XmlElement | undefined): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  if (source === undefined) return found
  const levels = [...descendants(source, 'c:lvl')]
  if (levels.length === 0) return pointsOf(source)
  const maps = levels.map(pointsOf).reverse()
  for (const index of pointsOf(levels[0] ?? source).keys()) {
    found.set(
      index,
      maps
        .map((level) => latestUpTo(level, index))
        .filter((text) => text !== '')
        .join(' / '),
    )
  }
  return found
}

/** An outer level of categories stores a name only at the first of its points: the others take the nearest before. */
function latestUpTo(level: ReadonlyMap<number, string>, index: number): string {
  for (let at = index; at >= 0; at -= 1) {
    const text = level.get(at)
    if (text !== undefined) return text
  }
  return ''
}

function pointsOf(source: XmlElement): ReadonlyMap<number, string> {
  const all = [...descendants(source, 'c:pt')].slice(0, MAX_POINTS)
  return new Map(
    all.map((point) => [Number(attributeOf(point, 'idx') ?? 0), numberText(textOf(childOf(point, 'c:v')).trim())]),
  )
}

/** Rounds stored doubles: an input of 4.4 is stored as 4.4000000000000004. */
function numberText(text: string): string {
  return /^-?\d*\.\d{12,}(?:E[-+]?\d+)?$/i.test(text) ? String(Number(Number(text).toPrecision(15))) : text
}

function seriesTable(series: readonly Series[], category: string): string[][] {
  const [first] = series.filter(({ categories }) => categories.size > 0)
  const indexes = [
    ...new Set(series.flatMap(({ values, categories }) => [...values.keys(), ...categories.keys()])),
  ].sort((a, b) => a - b)
  const isShared = series.every(
    ({ categories }) => categories.size === 0 || sameTexts(categories, first?.categories ?? categories),
  )
  const cell = (text: string | undefined): string => asCell(escapeInline(text ?? ''))
  if (!isShared) return separateTables(series, category === '' ? 'x' : category, cell)
  const header = [cell(category), ...series.map(({ name }) => cell(name))]
  return [
    header,
    ...indexes.map((index) => [
      cell(first?.categories.get(index)),
      ...series.map(({ values }) => cell(values.get(index))),
    ]),
  ]
}

/** Renders a scatter chart whose series have different x values, with one row per point and the name of its series. */
function separateTables(series: readonly Series[], x: string, cell: (text: string | undefined) => string): string[][] {
  const rows = series.flatMap(({ name, categories, values }) =>
    [...new Set([...categories.keys(), ...values.keys()])].map((index) => [
      cell(name),
      cell(categories.get(index)),
      cell(values.get(index)),
    ]),
  )
  return [['', cell(x), 'y'], ...rows]
}

function sameTexts(a: ReadonlyMap<number, string>, b: ReadonlyMap<number, string>): boolean {
  return a.size === b.size && [...a].every(([index, text]) => b.get(index) === text)
}

/** Renders treemaps, waterfalls and similar charts, with one column per dimension of strings or numbers. */
function extendedTable(part: XmlElement): string[][] {
  const columns = [...descendants(part, 'cx:strDim', 'cx:numDim')].flatMap((dimension) =>
    childrenOf(dimension, 'cx:lvl').map((level) =>
      childrenOf(level, 'cx:pt')
        .slice(0, MAX_POINTS)
        .map((point) => textOf(point).trim()),
    ),
  )
  const length = columns.reduce((longest, column) => Math.max(longest, column.length), 0)
  if (length === 0) return []
  const names = [...descendants(part, 'cx:series')].map((series) => richText(childOf(series, 'cx:tx') ?? series))
  const rows = Array.from({ length }, (_, index) =>
    columns.map((column) => asCell(escapeInline(numberText(column[index] ?? '')))),
  )
  return [columns.map((_, index) => asCell(escapeInline(index === 0 ? '' : (names[index - 1] ?? '')))), ...rows]
}
