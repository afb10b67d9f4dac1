import { expect, test } from 'vitest'
import { paragraph, text } from '../../../../../test/support/build-pdf.ts'
import { BuiltPdfs } from '../../../../../test/support/built-pdfs.ts'
import { Random } from '../../../../../test/support/random.ts'
import { seedFrom } from '../../../../../test/support/seed.ts'
import { shared } from '../../../../../test/support/shared.ts'

const SEED = seedFrom('KEY_VALUES_SEED', 11)

const pdfs = await shared(BuiltPdfs.open())

const PROSE = [
  'The company was founded by the town itself in the year of the flood, and',
  'its ships have called at every harbour of the northern coast since then.',
  'What follows is taken from the register of the town.',
]
const KEYS = ['Registered name', 'Legal form', 'Seat', 'Founded', 'Chair', 'Auditor', 'Ships', 'Home port', 'Bank']
const VALUES = [
  'Northern Harbour',
  'Public company',
  'Old Town',
  'May 1842',
  'A. Pilot',
  '17',
  'Tide and Partners, Old Quay',
]

test.each(Array.from({ length: 6 }, (_, index) => SEED + index))(
  'a fact sheet without rules or colons is a table of names and values (%i)',
  async (seed) => {
    const random = new Random(seed)
    const [pitch, x] = [13 + random.below(7), 180 + random.below(160)]
    const rows = KEYS.slice(0, 4 + random.below(6)).map((key) => [key, random.pick(VALUES)] as const)
    const font = random.pick(['regular', 'bold'] as const)
    const sheet = rows.map(
      ([key, value], at) => text(72, 160 + at * pitch, key, 10, font) + text(x, 160 + at * pitch, value, 10),
    )
    const { markdown } = await pdfs.convert([
      { content: paragraph(72, 90, PROSE) + sheet.join('') + paragraph(72, 160 + rows.length * pitch + 30, PROSE) },
    ])
    for (const [key, value] of rows) expect(markdown).toContain(`| ${key} | ${value} |`)
    expect(markdown.match(/register of the town\.$/gm)).toHaveLength(2)
  },
)

test('two columns of text are not names with values', async () => {
  const left = [
    'The keeper of the light has',
    'Asked the council for a new',
    'Lamp, and the council said',
    'That it would think of it',
  ]
  const right = [
    'Ships of the town are kept',
    'In the inner harbour, which',
    'Was built of granite by the',
    'Town itself, as all know it',
  ]
  const { markdown } = await pdfs.convert([{ content: paragraph(72, 100, left) + paragraph(320, 100, right) }])
  expect(markdown).not.toContain('|')
})
