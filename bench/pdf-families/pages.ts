import { line, paragraph, text } from '../../test/support/build-pdf.ts'
import type { Random } from '../../test/support/random.ts'
import type { Check } from './checks.ts'
import type { Drawn } from './forms.ts'
import { amount, day, phrase, sentence, wrapped } from './words.ts'

const HEIGHT = 690
const LEFT = 60
const WIDTH = 490

/** A page as of a book or a report: one to three columns, running lines, headings, footnotes, a table, a formula, a long list. */
export function page(random: Random): Drawn {
  const columns = random.pick([1, 2, 2, 3])
  const gap = columns === 1 ? 0 : 14 + random.below(12)
  const width = (WIDTH - gap * (columns - 1)) / columns
  const size = columns === 3 ? 8 : 9 + random.below(2)
  const running = runningLines(random)
  const said: string[] = []
  const parts: Drawn[] = [running]
  for (let column = 0; column < columns; column += 1) {
    const drawn = columnOf(random, LEFT + column * (width + gap), width, size)
    parts.push(drawn)
    said.push(...drawn.said)
  }
  const order = said.slice(1).map((after, index): Check => ({ kind: 'order', before: said[index] ?? '', after }))
  return {
    content: parts.map((part) => part.content).join(''),
    checks: [...parts.flatMap((part) => part.checks), ...order],
  }
}

/** A header, a footer and a page number; only what stands alone at the edge is a running line. */
function runningLines(random: Random): Drawn {
  const number = 2 + random.below(400)
  const title = `${phrase(random)} and ${phrase(random)}`
  const at = random.below(3)
  const content = [
    text(LEFT, 34, title, 8) + text(LEFT + WIDTH - 20, 34, String(number), 8),
    text(LEFT, 34, title, 8) + text(300, 765, String(number), 8),
    text(LEFT, 768, `${number} | ${title}`, 8),
  ][at]
  return { content: content ?? '', checks: [{ kind: 'absent', text: title }] }
}

interface Column extends Drawn {
  /** Beginnings of its paragraphs in reading order. */
  readonly said: readonly string[]
}

function columnOf(random: Random, x: number, width: number, size: number): Column {
  const characters = Math.floor(width / (size * 0.5))
  const content: string[] = []
  const checks: Check[] = []
  const said: string[] = []
  let top = 70
  while (top < HEIGHT - 90) {
    const kind = random.below(10)
    if (kind === 0 || (kind === 1 && top === 70)) {
      const heading = phrase(random)
      content.push(text(x, top + 8, heading, size + 3, 'bold'))
      checks.push({ kind: 'heading', text: heading })
      top += size + 16
    } else if (kind === 2 && width > 200) {
      const rows = Array.from({ length: 4 }, (_, row) =>
        row === 0 ? ['Station', 'First', 'Second'] : [phrase(random), amount(random), amount(random)],
      )
      const offsets = [0, width * 0.5, width * 0.75]
      content.push(
        line(x, top, x + width, top),
        ...rows.map((row, index) =>
          row.map((cell, column) => text(x + (offsets[column] ?? 0), top + 12 + index * 13, cell, size - 1)).join(''),
        ),
        line(x, top + 60, x + width, top + 60),
      )
      checks.push(...rows.map((cells): Check => ({ kind: 'row', cells })))
      top += 78
    } else if (kind === 3) {
      const [a, b, n] = [random.pick(['x', 'y', 'u']), random.pick(['a', 'b', 'k']), 2 + random.below(8)]
      const start = x + width / 3
      content.push(
        text(start, top + 10, a, size, 'italic') +
          text(start + 10, top + 10, '=', size) +
          text(start + 22, top + 10, b, size, 'italic') +
          text(start + 28, top + 6, String(n), size * 0.7),
      )
      checks.push({ kind: 'formula', text: `${a}=${b}${n}` })
      top += size + 22
    } else if (kind === 4) {
      const items = Array.from({ length: 3 }, () => phrase(random))
      const mark = random.pick(['-', '1.', 'a)'])
      content.push(
        ...items.map(
          (item, index) =>
            text(
              x + 8,
              top + 8 + index * size * 1.3,
              mark === '-' ? '-' : mark === '1.' ? `${index + 1}.` : `${'abc'[index]})`,
              size,
            ) + text(x + 24, top + 8 + index * size * 1.3, item, size),
        ),
      )
      checks.push(...items.map((item): Check => ({ kind: 'present', text: item })))
      said.push(items[0] ?? '')
      top += items.length * size * 1.3 + size
    } else if (kind === 5 && width > 200) {
      const caption = `Figure ${1 + random.below(9)}. ${sentence(random)}`
      const captionLines = wrapped(caption, characters)
      const points = Array.from(
        { length: 6 },
        (_, index) => `${x + 20 + index * 25} ${792 - top - 10 - random.below(60)} ${index === 0 ? 'm' : 'l'}`,
      )
      const labels = Array.from({ length: 4 }, (_, index) =>
        text(x + 20 + index * 40, top + 84, String(2000 + index * 5), 7),
      )
      content.push(
        `${points.join(' ')} S\n`,
        line(x + 10, top + 75, x + 160, top + 75),
        line(x + 10, top + 5, x + 10, top + 75),
        ...labels,
        paragraph(x, top + 102, captionLines, size - 1),
      )
      checks.push({ kind: 'present', text: caption }, { kind: 'figure', count: 1 })
      top += 108 + captionLines.length * size * 1.25
    } else {
      const sentences = Array.from({ length: 1 + random.below(3) }, () => sentence(random)).join(' ')
      const lines = wrapped(sentences, characters)
      content.push(paragraph(x, top + 8, lines, size))
      checks.push({ kind: 'present', text: sentences })
      said.push(sentences.slice(0, 30))
      top += lines.length * size * 1.25 + size
    }
  }
  if (random.chance(0.3)) {
    const note = `1 See the ${phrase(random).toLowerCase()} of ${day(random)}.`
    content.push(line(x, HEIGHT + 28, x + 60, HEIGHT + 28), text(x, HEIGHT + 40, note, size - 2))
    checks.push({ kind: 'present', text: note.slice(2) })
  }
  return { content: content.join(''), checks, said }
}
