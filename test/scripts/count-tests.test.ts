import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const SCRIPT = resolve(import.meta.dirname, '../../scripts/count-tests.mjs')

type Status = 'passed' | 'failed' | 'skipped'
const file = (status: Status, ...tests: Status[]): object => ({
  status,
  assertionResults: tests.map((of) => ({ status: of })),
})

async function countOf(...testResults: object[]): Promise<{ lastLine: string | undefined; code: number | null }> {
  await using folder = await tempFolder()
  const result = join(folder.path, 'result.json')
  writeFileSync(result, JSON.stringify({ testResults }))
  const { stdout, status } = spawnSync(process.execPath, [SCRIPT, result], { encoding: 'utf8' })
  return { lastLine: stdout.trim().split('\n').at(-1), code: status }
}

test('count-tests counts what passed and what failed, and nothing that was skipped', async () => {
  const passed = file('passed', 'passed', 'passed', 'skipped')
  expect(await countOf(passed)).toEqual({ lastLine: '2 passed, 0 failed', code: 0 })
  expect(await countOf(passed, file('failed', 'passed', 'failed'))).toEqual({ lastLine: '3 passed, 1 failed', code: 1 })
})

test('count-tests reports a file that could not be run as a failure', async () => {
  expect(await countOf(file('passed', 'passed'), file('failed'))).toEqual({ lastLine: '1 passed, 1 failed', code: 1 })
})

test('count-tests names what passed at its second attempt only, with its first error', async () => {
  await using folder = await tempFolder()
  const result = join(folder.path, 'result.json')
  const assertionResults = [
    { status: 'passed', fullName: 'steady', failureMessages: [] },
    { status: 'passed', fullName: 'flaky', failureMessages: ['Error: too late\n    at here'] },
  ]
  writeFileSync(result, JSON.stringify({ testResults: [{ status: 'passed', name: 'a.test.ts', assertionResults }] }))
  const { stdout } = spawnSync(process.execPath, [SCRIPT, result], { encoding: 'utf8' })
  const printed = ['Passed at the second attempt: a.test.ts > flaky', '  first: Error: too late', '2 passed, 0 failed']
  expect(stdout.trim().split('\n')).toEqual(printed)
})

test('count-tests reports a run without tests as a failure', async () => {
  expect(await countOf()).toEqual({ lastLine: '0 passed, 0 failed', code: 1 })
  const { status } = spawnSync(process.execPath, [SCRIPT, '/nowhere/result.json'])
  expect(status).toBe(1)
})

test('count-tests does not call two suites a success when one of them did not run', async () => {
  await using folder = await tempFolder()
  const result = join(folder.path, 'result.json')
  writeFileSync(result, JSON.stringify({ testResults: [file('passed', 'passed')] }))
  const { status } = spawnSync(process.execPath, [SCRIPT, result, join(folder.path, 'slow.json')])
  expect(status).toBe(1)
})
