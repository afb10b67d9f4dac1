import { Ajv2020 } from 'ajv/dist/2020.js'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { choosePipelines } from '#config/choose-pipelines.ts'
import { configSchema } from '#config/config-schema.ts'
import { parseConfigFile } from '#config/config-file.ts'
import { readConfiguration } from '#config/read-config.ts'

const DOCS = resolve(import.meta.dirname, '../../docs')
const EXAMPLE = `${DOCS}/sluice.example.yaml`

const published = async (): Promise<object> =>
  JSON.parse(await readFile(`${DOCS}/schemas/sluice-config.schema.json`, 'utf8')) as object

const validate = new Ajv2020({ allErrors: true }).compile(await published())

function problemsOfSchema(yaml: string): string[] {
  validate(parse(yaml))
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

test('the published schema of the settings file equals the output of ./sluice config --schema', async () => {
  expect(await published()).toEqual(configSchema())
})

test('the example settings file is valid for the schema and for Sluice', async () => {
  const text = await readFile(EXAMPLE, 'utf8')
  expect(text).toMatch(/^# yaml-language-server: \$schema=schemas\/sluice-config\.schema\.json\n/)
  expect(problemsOfSchema(text)).toEqual([])
  const read = await readConfiguration({ flags: {}, config: EXAMPLE, env: { PARSE_API_KEY: 'key' } })
  if (!read.ok) throw new Error(read.problems.join('\n'))
  expect(read.configuration.pipelines.map(({ name }) => name)).toEqual(['papers', 'scans'])
  expect(choosePipelines(read.configuration, [])).toMatchObject({ ok: true })
})

test('the schema of the settings file and its reader accept and refuse the same', async () => {
  const files: readonly [yaml: string, right: boolean][] = [
    ['options: { formats: [markdown, { type: json, prompt: x }], parsers: [pdf] }', true],
    ['rules: [{ match: ["*.pdf"], options: { redactPII: true } }]', true],
    ['rate: null\ns3:\nengine: { processes: 4 }', true],
    ['pipelines: { a: { source: in, engine: { processes: 4 } } }', false],
    ['parseApiKey: key', false],
    ['options: { formats: [text] }', false],
    ['concurrency: 0', false],
    ['pipelines: { a: { out: b } }', false],
    ['formats: markdown', false],
  ]
  for (const [yaml, right] of files) {
    const { problems } = await parseConfigFile(yaml, '/sluice.yaml', 'sluice.yaml')
    expect([yaml, problems.length === 0], problems.join('; ')).toEqual([yaml, right])
    expect([yaml, problemsOfSchema(yaml).length === 0]).toEqual([yaml, right])
  }
})
