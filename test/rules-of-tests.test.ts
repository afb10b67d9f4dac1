import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SLOW_FILES } from './support/slow-files.ts'

const ROOT = join(import.meta.dirname, '..')

/** By their paths in the checkout. */
const files = globSync('{test,packages/*/test}/**/*.ts', { cwd: ROOT })
  .filter((name) => !name.startsWith('test/fixtures/') && name !== 'test/rules-of-tests.test.ts')
  .map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }))

interface Source {
  readonly name: string
  readonly text: string
}

/** What a file must not do itself, and the files whose task it is. */
const ONE_HOME: readonly (readonly [pattern: RegExp, home: RegExp, instead: string])[] = [
  [
    /\bMath\.random\b|Date\.now\(\) %/,
    /^test\/(?:support\/seed|architecture\.test)\.ts$/,
    'seedFrom of support/seed.ts',
  ],
  // A process of the fault campaign is given the seed of its run.
  [
    /\benv(?:\.|\[')[A-Z_]*SEED\b/,
    /^test\/(?:support\/(?:seed|fast-check)|campaign\/preloads\/write-errors)\.ts$/,
    'seedFrom of support/seed.ts',
  ],
  [/from 'fast-check'/, /^test\/support\/fast-check\.ts$/, 'support/fast-check.ts'],
]

/** Draws from a seed that is not written beside it as a number. */
const DRAWS = /\b(?:new Random|seededRandom)\((?!\d[\d_]*\))/

/** Why a failure of the file could not be drawn again; helpers are given their seed. */
function cannotReplay({ name, text }: Source): string[] {
  const elsewhere = ONE_HOME.filter(([pattern, home]) => pattern.test(text) && !home.test(name)).map(
    ([, , instead]) => `${name}: use ${instead}`,
  )
  const unnamed = name.endsWith('.test.ts') && DRAWS.test(text) && !/\bseedFrom\('[A-Z_]+'/.test(text)
  return unnamed ? [...elsewhere, `${name}: its seed comes from seedFrom of support/seed.ts`] : elsewhere
}

test('every random draw of a test is repeatable by an environment variable that its failure prints', () => {
  expect(files.length).toBeGreaterThan(500)
  expect(files.flatMap(cannotReplay)).toEqual([])
})

test.each([
  'const at = Math.random() * 60',
  "const seed = Number(process.env['FUZZ_SEED'] ?? 1)",
  'const seed = Number(process.env.FUZZ_SEED)',
  "import * as fc from 'fast-check'",
  'for (let seed = 1; seed < 9; seed++) play(new Random(seed))',
  'const random = seededRandom(seed)',
])('the check of seeds finds: %s', (text) => {
  expect(cannotReplay({ name: 'planted.test.ts', text })).toHaveLength(1)
})

test('the check of seeds accepts fixed seeds and seeds passed in', () => {
  expect(cannotReplay({ name: 'planted.test.ts', text: 'const random = new Random(20_261_122)' })).toEqual([])
  expect(cannotReplay({ name: 'support/planted.ts', text: 'const random = new Random(seed)' })).toEqual([])
})

/** Waits by itself, in real time. */
const WAITS = /\bsetTimeout\b[^}]*\} from 'node:timers|\bsetTimeout\(/

/** Files with tests in them: `*.test.ts`, and the suites that several of these share. */
const isSuite = ({ name, text }: Source): boolean => name.endsWith('.test.ts') || /^ *test(?:\.\w+)?\(/m.test(text)

/** Waits for nothing in particular: a fixed time before an assertion. */
function waitsByItself({ name, text }: Source): string[] {
  return isSuite({ name, text }) && WAITS.test(text)
    ? [`${name}: use until, elapse, takes or after of support/wait.ts`]
    : []
}

test('each test waits for a condition, or states why it waits for time', () => {
  expect(files.filter(isSuite).length).toBeGreaterThan(300)
  expect(files.flatMap(waitsByItself)).toEqual([])
  const unexplained = files.filter(
    ({ name, text }) => name !== 'test/support/wait.ts' && /\belapse\((?![^;]*['`])/.test(text),
  )
  expect(unexplained.map(({ name }) => name)).toEqual([])
})

test.each([
  "import { setTimeout as sleep } from 'node:timers/promises'",
  'await new Promise((resolve) => setTimeout(resolve, 300))',
])('the check of waits finds: %s', (text) => {
  expect(waitsByItself({ name: 'planted.test.ts', text })).toHaveLength(1)
  expect(waitsByItself({ name: 'planted.ts', text: `${text}\ntest('a', () => {})` })).toHaveLength(1)
})

test('each listed slow test file exists', () => {
  const names = files.map(({ name }) => name)
  expect(SLOW_FILES.filter((name) => !names.includes(name))).toEqual([])
})
