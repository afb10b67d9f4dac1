import type { Random } from '../../test/support/random.ts'
import { aligned, capital, list, type FactOrigin, prose, sentence } from './report-parts.ts'

export const FACT_KINDS = ['sentence', 'cell', 'captioned cell', 'long row', 'list item'] as const
export type FactKind = (typeof FACT_KINDS)[number]

/** Something that a question asks for. */
export interface Fact {
  readonly kind: FactKind
  readonly document: number
  /** Texts that a chunk must hold together for the answer to be understood: answer, heading, and column, caption or parent item. */
  readonly needs: readonly string[]
  readonly question: string
}

export interface Report {
  readonly markdown: string
  readonly facts: readonly Fact[]
}

const SITES = 'Gannet Pell Millrace Coldwater Thornbridge Ferry Aldermere Wharton Hollin Saltby Kestrel Dunmore'.split(
  ' ',
)
const TOPICS = ['Repairs', 'Traffic', 'Water levels', 'Volunteers', 'Costs', 'Inspections', 'Stoppages', 'Wildlife']
const ITEMS =
  'oak gates pumps divers crane mortar hinges paddles sluices chains ropes paint bolts timber clay sheets'.split(' ')
const COLUMNS = ['Planned', 'Spent', 'Carried over', 'Supplier', 'Reviewed', 'Remaining']
const MEASURES = ['depth', 'flow', 'clearance', 'draught', 'gradient', 'leakage', 'settlement', 'vibration']

/**
 * An annual report: sections of one pattern for several sites, so that a row, a sentence or a list item is distinguished by what
 * stands above it alone: headings, some of them long, captions, column names and outer list items.
 */
export function generatedReport(random: Random, document: number): Report {
  const title = `${random.pick(SITES)} Navigation report ${1950 + document}`
  const parts = [`# ${title}`, prose(random, 3)]
  const facts: Fact[] = []
  for (let section = 3 + random.below(5); section > 0; section--) {
    const site = `${random.pick(SITES)} Lock`
    const heading = headingOf(random, site, section)
    const origin = { document, heading, title }
    parts.push(`## ${heading}`)
    if (random.below(2) === 0) parts.push(...factSentences(random, origin, facts))
    if (random.below(3) > 0) parts.push(...table(random, origin, facts))
    if (random.below(3) === 0) parts.push(...captionedTables(random, origin, facts))
    if (random.below(4) === 0) parts.push(longRows(random, origin, facts))
    if (random.below(3) === 0) parts.push(nestedList(random, origin, facts))
    if (random.below(3) === 0) parts.push(list(random, ITEMS))
    parts.push(prose(random, 1 + random.below(4)))
    if (random.below(3) > 0) continue
    const below = `Notes on ${site} by the ${random.pick(ITEMS)} crew, part ${section}`
    parts.push(`### ${below}`, ...factSentences(random, { document, heading: below, title }, facts))
  }
  return { markdown: parts.join('\n\n'), facts }
}

/** One of four is as long as a sentence. */
function headingOf(random: Random, site: string, section: number): string {
  const short = `${random.pick(TOPICS)} at ${site}, part ${section}`
  if (random.below(4) > 0) return short
  const words = sentence(random, 8 + random.below(8))
    .toLowerCase()
    .replace('.', '')
  return `${short}, with what ${words}`
}

function factSentences(random: Random, { document, heading, title }: FactOrigin, facts: Fact[]): readonly string[] {
  return Array.from({ length: 1 + random.below(3) }, () => {
    const [measure, item, month] = [random.pick(MEASURES), random.pick(ITEMS), 1 + random.below(12)]
    const number = (random.next() * 1000).toFixed(2)
    const answer = `The measured ${measure} beside the ${item} was ${number} units when it was read for the ${month}th time.`
    const question = `${title} ${heading} measured ${measure} beside the ${item} read ${month}th time`
    facts.push({ kind: 'sentence', document, needs: [answer, heading], question })
    return `${prose(random, 1)} ${answer} ${prose(random, 1)}`
  })
}

interface TableFacts {
  readonly kind: FactKind
  readonly above: readonly string[]
  readonly asked: string
  readonly document: number
}

/** A table of up to a hundred rows, each of which is a fact under a column drawn at random. */
function rows(random: Random, facts: Fact[], { kind, above, asked, document }: TableFacts): string {
  const columns = COLUMNS.slice(0, 2 + random.below(COLUMNS.length - 1))
  const most = random.pick([1, 3, 6])
  const names = ITEMS.filter(() => random.below(4) > 0).flatMap((item) =>
    [item, `spare ${item}`, `old ${item}`, `new ${item}`, `lent ${item}`, `lost ${item}`].slice(
      0,
      1 + random.below(most),
    ),
  )
  const lines = names.map((name, index) => {
    const cells = [`${name} ${index}`, ...columns.map(() => `${random.below(100_000)}`)]
    const column = random.pick(columns)
    const needs = [`| ${cells.join(' | ')} |`, ...above, `| ${column} |`]
    facts.push({ kind, document, needs, question: `${asked} ${name} ${index} ${column}` })
    return cells
  })
  return aligned(['Item', ...columns], lines, random.below(3) === 0)
}

function table(random: Random, { document, heading, title }: FactOrigin, facts: Fact[]): readonly string[] {
  return [rows(random, facts, { kind: 'cell', above: [heading], asked: `${title} ${heading}`, document })]
}

/** Tables with the same row names below one heading: their captions distinguish them. */
function captionedTables(random: Random, { document, heading, title }: FactOrigin, facts: Fact[]): readonly string[] {
  return Array.from({ length: 2 + random.below(2) }, (_, index) => {
    const caption = `Table ${index + 1}: ${random.pick(TOPICS)} of ${random.pick(SITES)} Weir, lot ${random.below(1000)}`
    const asked = `${title} ${heading} ${caption}`
    return `${caption}\n\n${rows(random, facts, { kind: 'captioned cell', above: [heading, caption], asked, document })}`
  })
}

/** Rows with a sentence in a cell: few fit into one chunk. */
function longRows(random: Random, { document, heading, title }: FactOrigin, facts: Fact[]): string {
  const lines = Array.from({ length: 6 + random.below(12) }, (_, index) => {
    const [name, number] = [`${random.pick(ITEMS)} ${index}`, `${random.below(100_000)}`]
    const cells = [name, sentence(random, 12 + random.below(20)), number]
    const needs = [`| ${cells.join(' | ')} |`, heading, '| Settled for |']
    facts.push({ kind: 'long row', document, needs, question: `${title} ${heading} ${name} settled for` })
    return cells
  })
  return aligned(['Claim', 'What the keeper wrote', 'Settled for'], lines, false)
}

/** Three levels: an item is distinguished by the two above it. */
function nestedList(random: Random, { document, heading, title }: FactOrigin, facts: Fact[]): string {
  const lines: string[] = []
  for (let number = 2 + random.below(3); number > 0; number--) {
    const outer = `${random.pick(SITES)} reach ${number}, surveyed by the ${random.pick(ITEMS)} crew`
    lines.push(`- ${outer}`)
    for (const measure of MEASURES.slice(0, 3 + random.below(6))) {
      const inner = `${capital(measure)} in stretch ${random.below(100)}`
      lines.push(`  - ${inner}`)
      for (const item of ITEMS.filter(() => random.below(4) === 0)) {
        const answer = `beside the ${item}: ${(random.next() * 100).toFixed(1)} units`
        lines.push(`    - ${answer}`)
        const question = `${title} ${heading} ${outer} ${inner} beside the ${item}`
        facts.push({ kind: 'list item', document, needs: [answer, heading, outer, inner], question })
      }
    }
  }
  return lines.join('\n')
}
