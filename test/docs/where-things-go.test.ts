import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './pages.ts'

const PAGE = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
const ROWS = (PAGE.split('## Extension points')[1] ?? '')
  .split('\n')
  .filter((line) => /^\| (?!to add|---)/.test(line))
  .map((line) => line.slice(2, -2).split(' | '))

const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:`|\()((?:src|config|workers|test|docs)\/[\w./-]+)/g)].map(([, path = '']) => path)

/** What does not hold of a row: a file that is not there, a name that none of its files has, or no proof that runs. */
function faultsOf([what = '', touch = '', shownBy = '']: readonly string[]): readonly string[] {
  const [touched, proofs] = [pathsIn(touch), pathsIn(shownBy)]
  const missing = [...touched, ...proofs].filter((path) => !existsSync(join(ROOT, path)))
  const there = touched.filter((path) => path.endsWith('.ts') && !missing.includes(path))
  const texts = there.map((path) => readFileSync(join(ROOT, path), 'utf8'))
  const names = [...touch.matchAll(/`([A-Z][A-Za-z_]+)`/g)].map(([, name = '']) => name)
  const unknown = names.filter((name) => texts.length > 0 && !texts.some((text) => text.includes(name)))
  const isProved =
    /`npm run [\w:]+/.test(shownBy) ||
    proofs.some((path) => /^docs\/|\.test\.ts$/.test(path)) ||
    /the suites?\b/.test(shownBy)
  return [
    ...missing.map((path) => `${what}: ${path} is not there`),
    ...unknown.map((name) => `${what}: no file of the row has ${name}`),
    ...(isProved ? [] : [`${what}: nothing shows it`]),
  ]
}

test('each row of "Extension points" names existing files, names in them and a proof', () => {
  expect(ROWS.length).toBeGreaterThan(9)
  expect(ROWS.flatMap(faultsOf)).toEqual([])
})

test('the check of "Extension points" finds a moved file, a missing name and a row without proof', () => {
  const shown = '`test/docs/settings.test.ts`'
  expect(faultsOf(['a', '`src/nowhere.ts`', shown])).toHaveLength(1)
  expect(faultsOf(['a', '`Nowhere` in `config/settings.ts`', shown])).toHaveLength(1)
  expect(faultsOf(['a', '`config/settings.ts`', 'by care'])).toHaveLength(1)
})
