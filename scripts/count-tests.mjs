// Prints `N passed, N failed` from vitest's JSON result, and fails where any failed or none ran. A file that could not be
// run has no tests to count: it counts as one that failed.
import { existsSync, readFileSync } from 'node:fs'

const [resultFile] = process.argv.slice(2)
const files = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')).testResults : []
const tests = files.flatMap((file) => file.assertionResults)
const passed = tests.filter((test) => test.status === 'passed').length
const failed = tests.filter((test) => test.status === 'failed').length
const broken = files.filter(
  (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
)

if (files.length === 0) console.log('The tests did not run.')
console.log(`${passed} passed, ${failed + broken.length} failed`)
process.exitCode = failed + broken.length > 0 || passed === 0 ? 1 : 0
