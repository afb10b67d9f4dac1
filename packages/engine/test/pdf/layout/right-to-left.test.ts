import { describe, expect, test } from 'vitest'
import { line, unicodeText } from '../../../../../test/support/build-pdf.ts'
import { BuiltPdfs } from '../../../../../test/support/built-pdfs.ts'
import { Random } from '../../../../../test/support/random.ts'
import { seedFrom } from '../../../../../test/support/seed.ts'
import { shared } from '../../../../../test/support/shared.ts'

const SEED = seedFrom('RIGHT_TO_LEFT_SEED', 7)
const SIZE = 11
const MIRRORED: Readonly<Record<string, string>> = { '(': ')', ')': '(' }

const HEBREW = 'החברה נוסדה בשנת בעיר שלושה מהנדסים צעירים שעבדו קודם במשך שנים ופיתחו מערכות תוכנה לשוק'.split(' ')
const ARABIC = 'تأسست الشركة عام مدينة القاهرة ثلاثة مهندسين شباب كانوا يعملون سابقا شركة سنة أنظمة برمجية'.split(' ')

const pdfs = await shared(BuiltPdfs.open())

/** A line as it stands on the page, from left to right: its words and their letters backwards, numbers and Latin names as they are. */
function printed(text: string): string {
  const parts = text.match(/[A-Za-z]+(?: [A-Za-z]+)*|\d+(?:[.,:/]\d+)*%?|[^]/gu) ?? []
  return parts
    .reverse()
    .map((part) => MIRRORED[part] ?? part)
    .join('')
}

/** A line that ends at `right`, as right-to-left lines begin there. */
function drawn(right: number, top: number, text: string): string {
  return unicodeText(right - text.length * SIZE * 0.5, top, printed(text), SIZE, 'narrow')
}

const lines = (right: number, top: number, texts: readonly string[]): string =>
  texts.map((text, index) => drawn(right, top + index * 15, text)).join('')

async function markdownOf(...contents: readonly string[]): Promise<string> {
  return (await pdfs.convert(contents.map((content) => ({ content })))).markdown
}

/** Words of one script with numbers, names, brackets and marks between them, as a line of about `length` characters. */
function phrase(random: Random, words: readonly string[], length: number): string {
  const out = [random.pick(words)]
  while (out.join(' ').length < length) {
    const kind = random.below(8)
    if (kind === 0) out.push(String(1900 + random.below(150)), random.pick(words))
    else if (kind === 1) out.push('Hewlett Packard', random.pick(words))
    else if (kind === 2) out.push(`(${random.pick(words)} ${1 + random.below(90)}%)`, random.pick(words))
    else if (kind === 3) out.push(`${random.pick(words)},`, random.pick(words))
    else if (kind === 4) out.push(`${random.pick(words)}-${random.pick(words)}`)
    else out.push(random.pick(words))
  }
  return out.join(' ')
}

describe('a page of a script that runs from right to left', () => {
  test.each([
    ['Hebrew', HEBREW],
    ['Arabic', ARABIC],
  ])('in %s keeps names, numbers, brackets, hyphens and marks in place', async (_, words) => {
    const random = new Random(SEED)
    for (let document = 0; document < 4; document += 1) {
      const texts = Array.from({ length: 6 }, () => phrase(random, words, 60 + random.below(12)))
      const ended = [...texts, `${random.pick(words)} ${random.pick(words)} 1998.`]
      expect(await markdownOf(lines(550, 80, ended))).toBe(ended.join(' '))
    }
  })

  test('is read column by column from the right, with short lines in one paragraph', async () => {
    const random = new Random(SEED)
    const column = (): string[] =>
      Array.from({ length: 12 }, () => Array.from({ length: 5 + random.below(2) }, () => random.pick(HEBREW)).join(' '))
    const [right, left] = [column(), column()]
    const markdown = await markdownOf(lines(550, 80, right) + lines(270, 80, left))
    expect(markdown.split('\n\n')).toEqual([right.join(' '), left.join(' ')])
  })

  test('has tables whose first column is the right one', async () => {
    const rows = [
      ['שם', 'כמות', 'מחיר'],
      ['תפוח עץ', '12', '3.50'],
      ['אגס', '7', '4.20'],
      ['לימון', '9', '1.10'],
    ]
    const cells = rows.flatMap((row, index) =>
      row.map((cell, column) => drawn(500 - column * 150, 114 + index * 14, cell)),
    )
    const ruled = line(60, 100, 505, 100) + cells.join('') + line(60, 162, 505, 162)
    const [header, ...others] = rows.map((row) => `| ${row.join(' | ')} |`)
    expect(await markdownOf(ruled)).toBe([header, '| --- | --- | --- |', ...others].join('\n'))
  })

  test('has lists whose items are as deep as their markers are indented', async () => {
    const items = ['ראשון הוא הדבר', 'שני הוא הבא אחריו', 'שלישי ואחרון']
    const markdown = await markdownOf(
      lines(
        550,
        80,
        items.map((item, index) => `${index + 1}. ${item}`),
      ),
    )
    expect(markdown).toBe(items.map((item, index) => `${index + 1}. ${item}`).join('\n'))
  })

  test('has boxes at the positions of its text', async () => {
    const { blocks } = await pdfs.convert([{ content: lines(550, 80, ['החברה נוסדה בעיר']) }])
    const [x0 = 0, , x1 = 0] = blocks?.[0]?.items[0]?.bbox ?? []
    expect([x0 * 612, x1 * 612]).toEqual([expect.closeTo(462, -1), expect.closeTo(550, -1)])
  })
})
