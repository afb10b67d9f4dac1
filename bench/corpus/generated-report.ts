import type { Random } from '../../test/support/random.ts'

/** Something that a question asks for: where it stands, and the text that answers it. */
export interface Fact {
  readonly kind: 'cell' | 'sentence'
  readonly document: number
  readonly heading: string
  /** The row or the sentence as it stands in the document. */
  readonly answer: string
  /** What the chunk must hold beside the answer for it to be understood: the column. Null for a sentence. */
  readonly column: string | null
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
const FILLER =
  'the works were agreed by the board after a visit in spring and the keeper was told of them in time for winter'.split(
    ' ',
  )
const MEASURES = ['depth', 'flow', 'clearance', 'draught', 'gradient', 'leakage', 'settlement', 'vibration']

/** An annual report: sections of one pattern for several sites, so that a row or a sentence is told apart by its headings alone. */
export function generatedReport(random: Random, document: number): Report {
  const title = `${random.pick(SITES)} Navigation report ${1950 + document}`
  const parts = [`# ${title}`, prose(random, 3)]
  const facts: Fact[] = []
  for (let section = 3 + random.below(5); section > 0; section--) {
    const site = `${random.pick(SITES)} Lock`
    const heading = `${random.pick(TOPICS)} at ${site}, part ${section}`
    parts.push(`## ${heading}`)
    if (random.below(2) === 0) parts.push(...factSentences(random, { document, heading, title }, facts))
    if (random.below(3) > 0) parts.push(...table(random, { document, heading, title }, facts))
    if (random.below(3) === 0) parts.push(list(random))
    parts.push(prose(random, 1 + random.below(4)))
    if (random.below(3) > 0) continue
    const below = `Notes on ${site} by the ${random.pick(ITEMS)} crew, part ${section}`
    parts.push(`### ${below}`, ...factSentences(random, { document, heading: below, title }, facts))
  }
  return { markdown: parts.join('\n\n'), facts }
}

interface Place {
  readonly document: number
  readonly heading: string
  readonly title: string
}

function prose(random: Random, paragraphs: number): string {
  const sentence = (): string => {
    const words = Array.from({ length: 6 + random.below(18) }, () =>
      random.pick(random.below(5) === 0 ? ITEMS : FILLER),
    )
    return `${words.join(' ').replace(/^./, (letter) => letter.toUpperCase())}.`
  }
  const paragraph = (): string => Array.from({ length: 2 + random.below(7) }, sentence).join(' ')
  return Array.from({ length: paragraphs }, paragraph).join('\n\n')
}

function factSentences(random: Random, { document, heading, title }: Place, facts: Fact[]): readonly string[] {
  return Array.from({ length: 1 + random.below(3) }, () => {
    const [measure, item, month] = [random.pick(MEASURES), random.pick(ITEMS), 1 + random.below(12)]
    const number = (random.next() * 1000).toFixed(2)
    const answer = `The measured ${measure} beside the ${item} was ${number} units when it was read for the ${month}th time.`
    const question = `${title} ${heading} measured ${measure} beside the ${item} read ${month}th time`
    facts.push({ kind: 'sentence', document, heading, answer, column: null, question })
    return `${prose(random, 1)} ${answer} ${prose(random, 1)}`
  })
}

function table(random: Random, { document, heading, title }: Place, facts: Fact[]): readonly string[] {
  const columns = COLUMNS.slice(0, 2 + random.below(COLUMNS.length - 1))
  const names = ITEMS.filter(() => random.below(4) > 0).flatMap((item) =>
    [item, `spare ${item}`, `old ${item}`].slice(0, 1 + random.below(3)),
  )
  const rows = names.map((name, index) => {
    const cells = columns.map(() => `${random.below(100_000)}`)
    const answer = `| ${name} ${index} | ${cells.join(' | ')} |`
    const column = random.pick(columns)
    facts.push({
      kind: 'cell',
      document,
      heading,
      answer,
      column,
      question: `${title} ${heading} ${name} ${index} ${column}`,
    })
    return answer
  })
  const header = `| Item | ${columns.join(' | ')} |`
  return [[header, `| --- | ${columns.map(() => '---').join(' | ')} |`, ...rows].join('\n')]
}

const list = (random: Random): string =>
  Array.from({ length: 3 + random.below(8) }, () => `- ${random.pick(ITEMS)}: ${prose(random, 1).split('. ')[0]}`).join(
    '\n',
  )
