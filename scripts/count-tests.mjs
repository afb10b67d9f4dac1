// usage: count-tests.mjs [--again] JOURNAL…   Reads the journals of scripts/ci/journal.ts, one per suite. Prints `N
// passed, N failed`, and fails if a test failed or a suite did not run. Only the last run of a file counts. A file that
// could not run, or started and never ended, counts as one failed test. A file that passed only at its second run is
// named with its first errors. With --again it prints the files to retry, `JOURNAL<tab>FILE` each; none if too many
// failed for chance to explain it.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

const MOST_BY_CHANCE = 20

const [again, ...journals] = process.argv[2] === '--again' ? process.argv.slice(2) : [null, ...process.argv.slice(2)]

/** The attempts at each file, oldest first, and errors that belong to no file. */
function read(journal) {
  const files = new Map()
  const stray = []
  let running = []
  const lastOf = (file) => files.get(file)?.at(-1)
  const begin = (file) =>
    files.set(file, [...(files.get(file) ?? []), { open: true, tests: [], errors: ['did not end'] }])
  for (const line of existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').filter(Boolean) : []) {
    const { started, file, tests, errors, ended = [] } = JSON.parse(line)
    for (const one of started ?? []) begin(one)
    running = started ?? running
    if (file !== undefined) files.get(file).splice(-1, 1, { open: false, tests, errors })
    const open = running.map(lastOf).filter((attempt) => attempt.open)
    for (const { file: of, error } of ended) {
      const attempts = lastOf(of) === undefined ? open : [lastOf(of)]
      for (const attempt of attempts) attempt.errors.push(error)
      if (attempts.length === 0) stray.push(error)
    }
  }
  return { journal, files, stray }
}

const errorsOf = ({ tests, errors }) => [
  ...tests.filter(({ state }) => state === 'failed').map(({ name, error }) => `${name}: ${error}`),
  ...errors,
]

const suites = journals.map(read)
const all = suites.flatMap(({ journal, files }) =>
  [...files].map(([file, attempts]) => ({
    journal,
    file,
    attempts,
    last: attempts.at(-1),
    errors: errorsOf(attempts.at(-1)),
  })),
)

function printAgain() {
  const failed = all.filter(({ errors }) => errors.length > 0)
  const byThemselves = failed.filter(({ last }) => !last.open)
  if (byThemselves.length > MOST_BY_CHANCE) {
    console.error(`${byThemselves.length} test files failed: too many to be flaky, so none is retried.`)
    return
  }
  for (const { journal, file } of failed) console.log(`${journal}\t${file}`)
}

function printCount() {
  for (const { file, attempts, errors } of all) {
    const before = attempts.slice(0, -1).flatMap(errorsOf)
    const title = errors.length > 0 ? 'Failed' : 'Passed only at the second run'
    const shown = errors.length > 0 ? errors : before
    if (shown.length > 0)
      console.log([`${title}: ${relative('.', file)}`, ...shown.map((one) => `  ${one}`)].join('\n'))
  }
  const stray = suites.flatMap((suite) => suite.stray)
  for (const error of stray) console.log(`Failed outside of any test file: ${error}`)
  const missing = suites.filter(({ files }) => files.size === 0).length
  if (missing > 0) console.log('A suite did not run.')
  const counted = (state) => all.flatMap(({ last }) => last.tests.filter((test) => test.state === state)).length
  const broken = all.filter(
    ({ last, errors }) => errors.length > 0 && last.tests.every(({ state }) => state !== 'failed'),
  )
  const failed = counted('failed') + broken.length + stray.length
  console.log(`${counted('passed')} passed, ${failed} failed`)
  process.exitCode = failed + missing > 0 || counted('passed') === 0 ? 1 : 0
}

if (again === null) printCount()
else printAgain()
