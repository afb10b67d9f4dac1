import { expect, test } from 'vitest'
import { paragraph, text } from '../../../../../test/support/build-pdf.ts'
import { BuiltPdfs } from '../../../../../test/support/built-pdfs.ts'
import { Random } from '../../../../../test/support/random.ts'
import { seedFrom } from '../../../../../test/support/seed.ts'
import { shared } from '../../../../../test/support/shared.ts'

/** `TABLE_DRAWS=200 TABLE_SEED=…` for a long run; a failure prints the seed of its table. */
const draws = Number(process.env['TABLE_DRAWS'] ?? 12)
const firstSeed = seedFrom('TABLE_SEED', 520_000)

const pdfs = await shared(BuiltPdfs.open())

const SIZE = 10
const PITCH = 12
const PROSE = ['Dues are paid on the day of arrival. What is not paid then', 'is asked for twice, and a third time.']
const WORDS =
  'harbour berth quay dues vessel cargo master pilot tide channel survey report meeting listening session poster webinar training digital physical online printed weekly annual public staff member partner office notes stickers surveys exhibits videos articles'.split(
    ' ',
  )

interface WrappedTable {
  /** Rows of cells, each cell as its lines. */
  readonly rows: readonly (readonly (readonly string[])[])[]
  readonly columns: readonly number[]
  /** Where a cell with fewer lines than its row stands in it: 0 at the top, 1 at the bottom. */
  readonly upright: 0 | 0.5 | 1
  /** Space between rows beyond the pitch of lines, in points. */
  readonly gap: number
}

/** Words wrapped at `most` characters. */
function wrapped(words: readonly string[], most: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > most) lines.push(word)
    else lines.splice(-1, 1, `${last} ${word}`)
  }
  return lines
}

/** Titles and rows of words, wrapped in their columns: the last column holds the longest texts. */
function draw(random: Random): WrappedTable {
  const count = 3 + random.below(2)
  const most = Array.from({ length: count }, () => 13 + random.below(6))
  const starts = most.map((_, column) => 72 + most.slice(0, column).reduce((sum, chars) => sum + chars * 5.6 + 16, 0))
  const cell = (column: number, least: number): string[] => {
    const words = Array.from({ length: least + random.below(column === count - 1 ? 6 : 3) }, () => random.pick(WORDS))
    words[0] = `${words[0]?.at(0)?.toUpperCase()}${words[0]?.slice(1)}`
    return wrapped(words, most[column] ?? 12)
  }
  const row = (least: number) => Array.from({ length: count }, (_, column) => cell(column, column === 0 ? 1 : least))
  return {
    upright: random.pick([0, 0, 0.5, 1] as const),
    columns: starts,
    gap: 2.5 + 3 * random.next(),
    rows: [row(1), ...Array.from({ length: 4 + random.below(4) }, () => row(2))],
  }
}

function contentOf({ rows, columns, gap, upright }: WrappedTable): string {
  let [top, content] = [160, paragraph(72, 100, PROSE)]
  for (const row of rows) {
    const height = Math.max(...row.map((lines) => lines.length))
    for (const [column, lines] of row.entries()) {
      const first = top + upright * (height - lines.length) * PITCH
      for (const [at, line] of lines.entries()) content += text(columns[column] ?? 0, first + at * PITCH, line, SIZE)
    }
    top += height * PITCH + gap
  }
  return content + paragraph(72, top + 24, PROSE)
}

test(`cells of several lines without rules keep their lines, in ${draws} tables from seed ${firstSeed}`, async () => {
  const wrong: object[] = []
  for (let seed = firstSeed; seed < firstSeed + draws; seed += 1) {
    const table = draw(new Random(seed))
    const { blocks } = await pdfs.convert([{ content: contentOf(table) }])
    const found = (blocks?.[0]?.items ?? []).filter((item) => item.type === 'table').map((item) => item.content)
    const [titles = '', ...rows] = table.rows.map((row) => `| ${row.map((lines) => lines.join(' ')).join(' | ')} |`)
    const truth = [titles, `|${' --- |'.repeat(table.columns.length)}`, ...rows].join('\n')
    if (found.length !== 1 || found[0] !== truth) wrong.push({ seed, truth, found })
  }
  console.log(`TABLE_SEED=${firstSeed} draws ${draws}: wrong ${wrong.length}`)
  expect(wrong).toEqual([])
}, 240_000)
