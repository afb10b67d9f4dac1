import { expect, test } from 'vitest'
import { wrapped } from '../../src/cli/print/screen.ts'

test('a long line of help breaks at spaces and continues indented', () => {
  expect(wrapped('sluice: the source /papers: there is no such file or folder.', 30)).toBe(
    'sluice: the source /papers:\n  there is no such file or\n  folder.',
  )
  expect(wrapped('  --every: the hour is 25, and goes from 0 to 23', 30)).toBe(
    '  --every: the hour is 25, and\n    goes from 0 to 23',
  )
})

test('help wrapping leaves short lines, long words, tables and commands unchanged', () => {
  const kept = [
    'short',
    `  ${'x'.repeat(50)}`,
    `│ ${'a '.repeat(30)}│`,
    "  ./sluice retry /home/someone/papers --out '/home/someone/my corpus'",
    '  npx sluice retry /home/someone/papers --out /home/someone/corpus',
  ].join('\n')
  expect(wrapped(kept, 30)).toBe(kept)
})
