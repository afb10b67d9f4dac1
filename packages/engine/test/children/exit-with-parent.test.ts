import { fork } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { after } from '../../../../test/support/wait.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
/** Makes `process.exit` never return, as it does in rare cases where a thread runs. */
const STUCK = `data:text/javascript,process.on('exit', () => { for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000) })`

const programs = globSync('{src,packages/*/src}/**/*.ts', { cwd: ROOT }).filter((path) =>
  /^(?:process\.on\('disconnect'|exitWithParent\(\))/m.test(readFileSync(resolve(ROOT, path), 'utf8')),
)

test('each program that runs as a child process is in this test', () => {
  expect(programs.length).toBeGreaterThanOrEqual(6)
})

test.each(programs)(
  '%s ends with its parent, even where process.exit never returns',
  { timeout: 120_000 },
  async (program) => {
    const child = fork(resolve(ROOT, program), [], {
      execArgv: ['--disable-warning=ExperimentalWarning', '--import', STUCK],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    })
    const ended = once(child, 'exit')
    using _ = after(60_000, () => child.kill('SIGTERM'))
    await once(child, 'spawn')
    child.disconnect()
    expect((await ended)[1]).toBe('SIGKILL')
  },
)
