import { line, paragraph, text } from '../../test/support/build-pdf.ts'
import type { Random } from '../../test/support/random.ts'
import type { Check } from './checks.ts'
import { amount, code, day, phrase, sentence, wrapped } from './words.ts'

export interface Drawn {
  readonly content: string
  readonly checks: readonly Check[]
}

interface Part extends Drawn {
  /** Where the next part may begin, from the upper edge of the page. */
  readonly end: number
}

const LABELS =
  'Name:|Account:|Order number:|Issued:|Due date:|Contact:|Region:|Policy:|Carrier:|Reference:|Terms:|Category:'.split(
    '|',
  )

/** A form or an invoice: a title, labels with values in one of four shapes, a table of items, and a note. */
export function form(random: Random): Drawn {
  const left = 50 + random.below(30)
  const title = random.pick(['Invoice', 'Delivery order', 'Claim form', 'Booking request', 'Statement of account'])
  const parts: Part[] = [
    { content: text(left, 60, title, 18, 'bold'), checks: [{ kind: 'present', text: title }], end: 90 },
  ]
  const add = (make: (random: Random, left: number, top: number) => Part): void => {
    parts.push(make(random, left, (parts.at(-1)?.end ?? 90) + 12 + random.below(16)))
  }
  if (random.chance(0.4)) add(addresses)
  add(random.pick([pairsInLines, pairsInColumns, stackedCells, boxedRows, titledRow]))
  add(random.pick([ruledItems, bareItems]))
  if (random.chance(0.5)) add(random.pick([pairsInLines, pairsInColumns, stackedCells, titledRow, tickBoxes]))
  add(note)
  return { content: parts.map((part) => part.content).join(''), checks: parts.flatMap((part) => part.checks) }
}

const valueOf = (random: Random): string => random.pick([code, day, amount, phrase])(random)

function somePairs(random: Random, count: number): { readonly label: string; readonly value: string }[] {
  const start = random.below(LABELS.length)
  return Array.from({ length: count }, (_, index) => ({
    label: LABELS[(start + index) % LABELS.length] ?? '',
    value: valueOf(random),
  }))
}

const asChecks = (pairs: readonly { readonly label: string; readonly value: string }[]): Check[] =>
  pairs.map((pair) => ({ kind: 'pair', ...pair }))

function pairsInLines(random: Random, left: number, top: number): Part {
  const pairs = somePairs(random, 3 + random.below(4))
  const content = pairs
    .map(
      ({ label, value }, index) =>
        text(left, top + index * 16, label, 10, 'bold') + text(left + 110, top + index * 16, value, 10),
    )
    .join('')
  return { content, checks: asChecks(pairs), end: top + pairs.length * 16 }
}

/** Two groups of labels and values side by side. */
function pairsInColumns(random: Random, left: number, top: number): Part {
  const pairs = somePairs(random, 6 + random.below(3))
  const half = Math.ceil(pairs.length / 2)
  const content = pairs
    .map(({ label, value }, index) => {
      const [x, y] = [left + (index < half ? 0 : 260), top + (index % half) * 16]
      return text(x, y, label, 9) + text(x + 95, y, value, 9)
    })
    .join('')
  return { content, checks: asChecks(pairs), end: top + half * 16 }
}

/** Two addresses side by side, each to be read by itself. */
function addresses(random: Random, left: number, top: number): Part {
  const both = ['Bill to', 'Ship to'].map((label) => [
    label,
    phrase(random),
    `${1 + random.below(99)} ${phrase(random)}`,
    code(random),
  ])
  const content = both.map((lines, side) =>
    lines
      .map((said, index) => text(left + side * 250, top + 10 + index * 13, said, 10, index === 0 ? 'bold' : 'regular'))
      .join(''),
  )
  const checks = both.flatMap((lines): Check[] =>
    lines.slice(1).map((after, index) => ({ kind: 'pair', label: lines[index] ?? '', value: after })),
  )
  return { content: content.join(''), checks, end: top + 4 * 13 + 8 }
}

/** Titles over one row of values, without rules. */
function titledRow(random: Random, left: number, top: number): Part {
  const pairs = somePairs(random, 4).map(({ label }) => ({
    label: label.replace(':', ''),
    value: random.pick([code, day, amount])(random),
  }))
  const content = pairs.map(
    ({ label, value }, index) =>
      text(left + index * 115, top + 10, label, 9) + text(left + index * 115, top + 23, value, 9),
  )
  return { content: content.join(''), checks: asChecks(pairs), end: top + 26 }
}

/** Boxes to tick in two columns, each with its answer. */
function tickBoxes(random: Random, left: number, top: number): Part {
  const question = `Which of these apply to the ${phrase(random).toLowerCase()}?`
  const answers = Array.from({ length: 6 }, () => phrase(random))
  const boxes = answers.map((answer, index) => {
    const [x, y] = [left + (index % 2) * 240, top + 28 + Math.floor(index / 2) * 16]
    return (
      line(x, y - 8, x + 8, y - 8) +
      line(x, y, x + 8, y) +
      line(x, y - 8, x, y) +
      line(x + 8, y - 8, x + 8, y) +
      text(x + 14, y, answer, 10)
    )
  })
  const checks: Check[] = [question, ...answers].map((said) => ({ kind: 'present', text: said }))
  return { content: text(left, top + 10, question, 10, 'bold') + boxes.join(''), checks, end: top + 28 + 3 * 16 }
}

/** Boxes with a small label above its value, three in a row. */
function stackedCells(random: Random, left: number, top: number): Part {
  const pairs = somePairs(random, 3 * (1 + random.below(2))).map(({ label, value }) => ({
    label: label.replace(':', ''),
    value,
  }))
  const rows = pairs.length / 3
  const cells = pairs.map(({ label, value }, index) => {
    const [x, y] = [left + 4 + (index % 3) * 160, top + Math.floor(index / 3) * 34]
    return text(x, y + 10, label, 7) + text(x, y + 26, value, 10)
  })
  const across = Array.from({ length: rows + 1 }, (_, row) => line(left, top + row * 34, left + 480, top + row * 34))
  const down = [0, 160, 320, 480].map((x) => line(left + x, top, left + x, top + rows * 34))
  return { content: [...cells, ...across, ...down].join(''), checks: asChecks(pairs), end: top + rows * 34 + 8 }
}

/** A grid with labels in its first column. */
function boxedRows(random: Random, left: number, top: number): Part {
  const pairs = somePairs(random, 3 + random.below(4))
  const cells = pairs.map(
    ({ label, value }, index) =>
      text(left + 5, top + 13 + index * 20, label, 10) + text(left + 135, top + 13 + index * 20, value, 10),
  )
  const across = Array.from({ length: pairs.length + 1 }, (_, row) =>
    line(left, top + row * 20, left + 400, top + row * 20),
  )
  const down = [0, 130, 400].map((x) => line(left + x, top, left + x, top + pairs.length * 20))
  return { content: [...cells, ...across, ...down].join(''), checks: asChecks(pairs), end: top + pairs.length * 20 + 8 }
}

const COLUMNS = [0, 60, 250, 310, 400]
const ITEM_WIDTH = 480

/** Items with a description of one line or two, amounts at the right edge of their columns, and a sum below. */
function itemsOf(random: Random, left: number, top: number, pitch: number, isRuled: boolean): Part {
  const columns = COLUMNS.slice(0, 4 + random.below(2))
  const titles = ['No.', 'Description', 'Qty', 'Price', 'Amount'].slice(0, columns.length)
  const items = Array.from({ length: 2 + random.below(6) }, (_, index) =>
    [String(index + 1), phrase(random), String(1 + random.below(40)), amount(random), amount(random)].slice(
      0,
      columns.length,
    ),
  )
  const sum = ['Total', ...Array.from({ length: columns.length - 2 }, () => ''), amount(random)]
  const toRight = random.chance(0.5)
  const content: string[] = []
  const checks: Check[] = []
  let y = top
  const rule = (at: number): string => (isRuled ? line(left, at, left + ITEM_WIDTH, at) : '')
  for (const [index, row] of [titles, ...items, sum].entries()) {
    const detail =
      index > 0 && index <= items.length && random.chance(0.3)
        ? `${random.pick(['with', 'without'])} ${phrase(random).toLowerCase()}`
        : null
    for (const [column, cell] of row.entries()) {
      const start = left + 4 + (columns[column] ?? 0)
      const end = left + (columns[column + 1] ?? ITEM_WIDTH) - 6
      content.push(
        text(
          toRight && column > 1 ? end - cell.length * 4.8 : start,
          y + 13,
          cell,
          9,
          index === 0 ? 'bold' : 'regular',
        ),
      )
    }
    if (detail !== null) content.push(text(left + 4 + 60, y + 24, detail, 9))
    checks.push({
      kind: 'row',
      cells: row.map((cell, column) => (column === 1 && detail !== null ? `${cell} ${detail}` : cell)).filter(Boolean),
    })
    content.push(rule(y))
    y += pitch + (detail === null ? 0 : 11)
  }
  content.push(rule(y))
  if (isRuled) content.push(...[...columns, ITEM_WIDTH].map((x) => line(left + x, top, left + x, y)))
  return { content: content.join(''), checks, end: y + 6 }
}

const ruledItems = (random: Random, left: number, top: number): Part => itemsOf(random, left, top, 20, true)

const bareItems = (random: Random, left: number, top: number): Part => itemsOf(random, left, top, 17, false)

function note(random: Random, left: number, top: number): Part {
  const said = `${sentence(random)} ${sentence(random)}`
  const lines = wrapped(said, 80)
  return {
    content: paragraph(left, top + 12, lines, 9),
    checks: [{ kind: 'present', text: said }],
    end: top + 12 + lines.length * 12,
  }
}
