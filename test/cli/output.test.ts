import { Ajv2020 } from 'ajv/dist/2020.js'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { startScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { parseLines } from '../support/json-lines.ts'

// Each test starts the program several times.
vi.setConfig({ testTimeout: 120_000 })

const ROOT = resolve(import.meta.dirname, '../..')

async function archive(folder: string): Promise<string[]> {
  await mkdir(join(folder, 'papers'))
  await cp(join(ROOT, 'samples/boat-passages.csv'), join(folder, 'papers/boat-passages.csv'))
  await writeFile(join(folder, 'papers/notes.psd'), 'left out')
  return ['run', 'papers', '--out', 'corpus']
}

describe('the output of a run', () => {
  test('with --json is one event a line, valid for docs/schemas/output-line.schema.json', async () => {
    await using folder = await tempFolder()
    await using service = await startScriptedService()
    const api = ['--parse-api-url', service.url, '--parse-api-key', 'key']
    const { stdout, code } = await sluice([...(await archive(folder.path)), ...api, '--json'], { cwd: folder.path })
    const schema = JSON.parse(await readFile(join(ROOT, 'docs/schemas/output-line.schema.json'), 'utf8')) as object
    const ajv = new Ajv2020({ allErrors: true, strict: false })
    const validate = ajv.compile(schema)
    const events = parseLines<{ readonly event: string }>(stdout)
    for (const event of events)
      expect(validate(event), `${JSON.stringify(event)} ${ajv.errorsText(validate.errors)}`).toBe(true)
    const parser = service.url
    expect(events[0]).toEqual({ event: 'begun', source: 'papers', store: 'corpus', parser, queue: 'private Redis' })
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['scan', 'document', 'summary']))
    expect(events.at(-1)).toMatchObject({ event: 'summary', end: 'complete', done: 1, exitCode: code })
  })

  test('is empty with --quiet and names each document with --verbose', async () => {
    await using folder = await tempFolder()
    await using service = await startScriptedService()
    const run = [...(await archive(folder.path)), '--parse-api-url', service.url, '--parse-api-key', 'key']
    const verbose = await sluice([...run, '--verbose'], { cwd: folder.path })
    const [first] = verbose.stderr.split('\n')
    expect(first).toBe(`source papers, store corpus, parser ${service.url}, queue private Redis`)
    expect(verbose.stderr).toContain('done    boat-passages.csv')
    expect(verbose.stdout).toContain('outputs: corpus')
    expect(verbose.stdout).not.toMatch(/.{81}/)
    const quiet = await sluice([...run, '--quiet'], { cwd: folder.path })
    expect(`${quiet.stdout}${quiet.stderr}`).toBe('')
  })

  test('for an error with --json is an event on standard output and a sentence on standard error', async () => {
    await using folder = await tempFolder()
    const { stdout, stderr, code } = await sluice(['run', 'nowhere', '--out', 'corpus', '--json'], { cwd: folder.path })
    expect(code).toBe(1)
    const { event, message } = JSON.parse(stdout) as { event: string; message: string }
    expect(event).toBe('error')
    expect(message).toContain(`${join(folder.path, 'nowhere')}: there is no such file or folder`)
    expect(stderr).toBe(`sluice: ${message}\n`)
  })
})

test('status and failures default to the source and store last used in the working folder', async () => {
  await using folder = await tempFolder()
  await using service = await startScriptedService()
  const env = { XDG_STATE_HOME: join(folder.path, 'state'), PARSE_API_URL: service.url, PARSE_API_KEY: 'key' }
  const at = { cwd: folder.path, env }
  const run = await archive(folder.path)
  expect((await sluice(run, at)).code).toBe(0)
  const status = await sluice(['status'], at)
  expect(status.stderr).toBe('')
  expect(status.stdout).toMatch(/papers\/ into .*corpus\/\n/)
  expect(status.stdout).toMatch(/^ +done +1$/m)
  expect((await sluice(['failures'], at)).stdout).toBe('0 failures\n')
  const elsewhere = await sluice(['status'], { ...at, cwd: join(folder.path, 'papers') })
  expect(elsewhere.stderr).toContain('no source is given')
})

test('every command takes --json, --quiet and --verbose, and has a description', async () => {
  const program = await createProgram('all')
  const lacking = program.commands
    .filter((command) => command.name() !== 'completion')
    .flatMap((command) =>
      ['--json', '--quiet', '--verbose']
        .filter((flag) => !command.options.some(({ long }) => long === flag))
        .map((flag) => `${command.name()} ${flag}`),
    )
  expect(lacking).toEqual([])
  expect(program.commands.filter((command) => command.description() === '')).toEqual([])
})
