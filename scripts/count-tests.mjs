// Prints `N passed, N failed` from vitest's JSON results, and fails where any failed or a suite did not run. A file that could not be
// run has no tests to count: it counts as one that failed. A test that passed at its second attempt keeps the errors of its first: it is
// named with them.
import { existsSync, readFileSync } from 'node:fs'

const results = process.argv.slice(2).map((file) => {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).testResults : []
})
const files = results.flat()
const missing = results.filter((one) => one.length === 0).length
const tests = files.flatMap((file) => file.assertionResults)
const passed = tests.filter((test) => test.status === 'passed').length
const failed = tests.filter((test) => test.status === 'failed').length
const broken = files.filter(
  (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
)

for (const { name, assertionResults } of files) {
  for (const { status, fullName, failureMessages = [] } of assertionResults) {
    if (status !== 'passed' || failureMessages.length === 0) continue
    console.log(`Passed at the second attempt: ${name} > ${fullName}\n  first: ${failureMessages[0].split('\n')[0]}`)
  }
}
if (missing > 0) console.log('A suite did not run.')
console.log(`${passed} passed, ${failed + broken.length} failed`)
process.exitCode = failed + broken.length + missing > 0 || passed === 0 ? 1 : 0
