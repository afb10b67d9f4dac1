import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const CHECKOUT = resolve(import.meta.dirname, '../..')
const COPIED = ['.ci/run', 'scripts/count-tests.mjs', 'scripts/ci/journal.ts']

/** Parts of the gate that `.ci/run` starts by itself, and what stands for them in a checkout without a program. */
const SCRIPTS = {
  start: 'echo unchanged',
  'check:types': 'true',
  'check:lint': 'true',
  'check:format': 'true',
  'check:unused': 'true',
  'check:words': 'true',
  'test:package': 'true',
  test: 'vitest run',
  'test:slow': 'vitest run --config vitest.slow.config.ts',
}

const CONFIG = (folder: string): string =>
  `export default { test: { include: ['${folder}/*.test.ts'], isolate: false, maxWorkers: 2, ` +
  'experimental: { viteModuleRunner: false, nodeLoader: false }, testTimeout: 60_000 } }'

/** A test that acts at its first run, and at each where `always`. */
const testThat = (act: string, always = false): string =>
  `import { existsSync, writeFileSync } from 'node:fs'
import { test } from 'vitest'
const ran = import.meta.filename + '.ran'
test('acts', () => {
  const first = !existsSync(ran)
  writeFileSync(ran, '')
  if (first || ${always}) { ${act} }
})
`

async function checkoutOf(scripts: object, tests: Readonly<Record<string, string>>): Promise<TempFolder> {
  const folder = await tempFolder()
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder.path, name)), { recursive: true })
    await writeFile(join(folder.path, name), text)
  }
  await write('package.json', JSON.stringify({ type: 'module', scripts }))
  await write('vitest.config.ts', CONFIG('fast'))
  await write('vitest.slow.config.ts', CONFIG('slow'))
  for (const [name, text] of Object.entries(tests)) await write(`${name}.test.ts`, text)
  for (const name of COPIED) {
    await write(name, '')
    await copyFile(join(CHECKOUT, name), join(folder.path, name))
  }
  await write('scripts/setup.sh', '')
  await symlink(join(CHECKOUT, 'node_modules'), join(folder.path, 'node_modules'))
  return folder
}

async function ciOf(folder: string): Promise<{ readonly code: number; readonly output: string }> {
  const ended = await promisify(execFile)('bash', [join(folder, '.ci/run')], { maxBuffer: 1e8 }).catch(
    (error: { readonly code: number; readonly stdout: string }) => error,
  )
  return { code: 'code' in ended ? ended.code : 0, output: ended.stdout }
}

const lastLines = (output: string, from: string): string[] => {
  const lines = output.trim().split('\n')
  return lines.slice(lines.findLastIndex((line) => line === from))
}

test('.ci/run starts every part of the gate', async () => {
  const { scripts } = JSON.parse(await readFile(join(CHECKOUT, 'package.json'), 'utf8'))
  const run = await readFile(join(CHECKOUT, '.ci/run'), 'utf8')
  const parts = Object.keys(scripts).filter((name) => name.startsWith('check:'))
  expect(run).toContain(`for part in ${parts.map((name) => name.slice('check:'.length)).join(' ')}; do`)
  expect(scripts.check).toContain(parts.map((name) => `npm run ${name}`).join(' && '))
})

test('.ci/run passes when failed tests pass alone, and names them with their first error', async () => {
  await using folder = await checkoutOf(SCRIPTS, {
    'fast/fine': testThat(''),
    'fast/flaky': testThat("throw new Error('late')"),
    'fast/rejected': testThat("void Promise.reject(new Error('stray'))"),
    'slow/fine': testThat(''),
    'slow/killed': testThat("process.kill(process.pid, 'SIGKILL')"),
  })
  const { code, output } = await ciOf(folder.path)
  expect(lastLines(output, 'Passed only at the second run: fast/flaky.test.ts')).toEqual([
    'Passed only at the second run: fast/flaky.test.ts',
    '  acts: Error: late',
    'Passed only at the second run: fast/rejected.test.ts',
    '  Error: stray',
    'Passed only at the second run: slow/killed.test.ts',
    '  did not end',
    '  Error: [vitest-pool]: Worker forks emitted error.',
    '5 passed, 0 failed',
  ])
  expect(code).toBe(0)
}, 240_000)

test('.ci/run fails when a test also fails alone or a part of the gate fails, with full output', async () => {
  await using folder = await checkoutOf(
    { ...SCRIPTS, 'check:lint': 'false' },
    { 'fast/fine': testThat(''), 'slow/failing': testThat("throw new Error('wrong')", true) },
  )
  const { code, output } = await ciOf(folder.path)
  expect(lastLines(output, '── FAILED: exit code 1: npm run check:lint')).toEqual([
    '── FAILED: exit code 1: npm run check:lint',
    '── FAILED: tests',
    'Failed: slow/failing.test.ts',
    '  acts: Error: wrong',
    '1 passed, 1 failed',
  ])
  expect(code).toBe(1)
}, 240_000)
