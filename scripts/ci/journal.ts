import { appendFileSync } from 'node:fs'
import { env } from 'node:process'
import type { Reporter, SerializedError, TestCase, TestModule, TestSpecification } from 'vitest/node'

/**
 * A line of the journal that `scripts/count-tests.mjs` reads: the started files, the result of a file, or the end of
 * the run.
 */
type Line =
  | { readonly started: readonly string[] }
  | { readonly file: string; readonly tests: readonly Test[]; readonly errors: readonly string[] }
  | { readonly ended: readonly { readonly file: string | null; readonly error: string }[] }

interface Test {
  readonly name: string
  readonly state: string
  readonly error: string | null
}

const messageOf = (error: { readonly name?: string; readonly message: string } | undefined): string =>
  (error === undefined ? 'failed without an error' : `${error.name ?? 'Error'}: ${error.message}`).split('\n')[0] ?? ''

const testOf = (test: TestCase): Test => {
  const { state, errors } = test.result()
  return { name: test.fullName, state, error: state === 'failed' ? messageOf(errors?.[0]) : null }
}

/**
 * Vitest's reporter of `.ci/run`: appends each file to `$TEST_JOURNAL` as it ends. A run that hangs or is killed leaves
 * its results.
 */
export default class Journal implements Reporter {
  readonly #path = env['TEST_JOURNAL'] ?? ''

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#append({ started: specifications.map(({ moduleId }) => moduleId) })
  }

  onTestModuleEnd(module: TestModule): void {
    const tests = [...module.children.allTests()].map(testOf)
    const suites = [module, ...module.children.allSuites()]
    const errors = suites.flatMap((suite) => suite.errors().map(messageOf))
    const unexplained = module.state() === 'failed' && errors.length === 0 && tests.every(({ error }) => error === null)
    this.#append({ file: module.moduleId, tests, errors: unexplained ? ['failed without an error'] : errors })
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const pathOf = (error: SerializedError): string | null => {
      const path: unknown = error.VITEST_TEST_PATH
      return typeof path === 'string' ? path : null
    }
    this.#append({ ended: errors.map((error) => ({ file: pathOf(error), error: messageOf(error) })) })
  }

  #append(line: Line): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`)
  }
}
