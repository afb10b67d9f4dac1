import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const SCRIPT = resolve(import.meta.dirname, '../../scripts/count-tests.mjs')

interface Count {
  readonly lines: readonly string[]
  readonly code: number | null
  /** Files that are to run once more. */
  readonly again: readonly string[]
}

const started = (...names: string[]): object => ({ started: names.map((name) => resolve(name)) })
const ended = (...errors: object[]): object => ({ ended: errors })

function file(name: string, states: readonly string[], ...errors: string[]): object {
  const tests = states.map((state) => ({
    name: `is ${state}`,
    state,
    error: state === 'failed' ? 'Error: late' : null,
  }))
  return { file: resolve(name), tests, errors }
}

/** What is counted in journals of one suite each. */
async function countOf(...suites: readonly object[][]): Promise<Count> {
  await using folder = await tempFolder()
  const paths = suites.map((lines, at) => {
    const path = join(folder.path, `suite-${at}`)
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return path
  })
  const { stdout, status } = spawnSync(process.execPath, [SCRIPT, ...paths], { encoding: 'utf8' })
  const again = spawnSync(process.execPath, [SCRIPT, '--again', ...paths], { encoding: 'utf8' })
  const names = again.stdout.split('\n').filter((line) => line !== '')
  return { lines: stdout.trim().split('\n'), code: status, again: names.map((line) => line.split('\t')[1] ?? '') }
}

test('count-tests counts passed and failed tests of all suites, but no skipped ones', async () => {
  const fine = [started('a.test.ts'), file('a.test.ts', ['passed', 'passed', 'skipped']), ended()]
  expect(await countOf(fine)).toEqual({ lines: ['2 passed, 0 failed'], code: 0, again: [] })
  const failed = [started('b.test.ts'), file('b.test.ts', ['passed', 'failed']), ended()]
  expect(await countOf(fine, failed)).toEqual({
    lines: ['Failed: b.test.ts', '  is failed: Error: late', '3 passed, 1 failed'],
    code: 1,
    again: [resolve('b.test.ts')],
  })
})

test('count-tests counts a file that could not run, or did not end, as failed', async () => {
  const broken = [
    started('a.test.ts', 'b.test.ts'),
    file('a.test.ts', ['passed']),
    file('b.test.ts', [], 'Error: no syntax'),
  ]
  expect(await countOf([...broken, ended()])).toMatchObject({ code: 1, again: [resolve('b.test.ts')] })
  const killed = await countOf([started('a.test.ts', 'b.test.ts'), file('a.test.ts', ['passed'])])
  expect(killed).toEqual({
    lines: ['Failed: b.test.ts', '  did not end', '1 passed, 1 failed'],
    code: 1,
    again: [resolve('b.test.ts')],
  })
})

test('count-tests counts the second run of a file, and names tests that passed only then with their first errors', async () => {
  const first = [
    started('a.test.ts', 'b.test.ts'),
    file('a.test.ts', ['passed', 'failed']),
    file('b.test.ts', ['passed']),
  ]
  const second = [started('a.test.ts'), file('a.test.ts', ['passed', 'passed']), ended()]
  expect(await countOf([...first, ended(), ...second])).toEqual({
    lines: ['Passed only at the second run: a.test.ts', '  is failed: Error: late', '3 passed, 0 failed'],
    code: 0,
    again: [],
  })
  const twice = [started('a.test.ts'), file('a.test.ts', ['passed', 'failed']), ended()]
  expect(await countOf([...first, ended(), ...twice])).toMatchObject({ code: 1 })
})

test('count-tests attributes an error outside of tests to its file, or else to the files that did not end', async () => {
  const lines = [started('a.test.ts', 'b.test.ts'), file('a.test.ts', ['passed']), file('b.test.ts', ['passed'])]
  const stray = { file: resolve('b.test.ts'), error: 'Error: stray' }
  expect(await countOf([...lines, ended(stray)])).toMatchObject({ code: 1, again: [resolve('b.test.ts')] })
  const worker = { file: null, error: 'Error: worker ended' }
  expect(await countOf([...lines.slice(0, 2), ended(worker)])).toMatchObject({ code: 1, again: [resolve('b.test.ts')] })
  expect(await countOf([...lines, ended(worker)])).toEqual({
    lines: ['Failed outside of any test file: Error: worker ended', '2 passed, 1 failed'],
    code: 1,
    again: [],
  })
})

test('count-tests repeats nothing when more files failed than chance explains', async () => {
  const names = Array.from({ length: 21 }, (_, at) => `${at}.test.ts`)
  const { code, again } = await countOf([started(...names), ...names.map((name) => file(name, ['failed']))])
  expect({ code, again }).toEqual({ code: 1, again: [] })
})

test('count-tests reports a run without tests, and a suite that did not run, as a failure', async () => {
  expect(await countOf([])).toEqual({ lines: ['A suite did not run.', '0 passed, 0 failed'], code: 1, again: [] })
  expect(spawnSync(process.execPath, [SCRIPT, '/nowhere/journal']).status).toBe(1)
  const fine = [started('a.test.ts'), file('a.test.ts', ['passed']), ended()]
  expect(await countOf(fine, [])).toMatchObject({ code: 1 })
})
