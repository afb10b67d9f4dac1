import { mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { choosePipelines, sharedSettings } from '#config/choose-pipelines.ts'
import { type Configuration, type ReadOptions, readConfiguration } from '#config/read-config.ts'
import { SETTINGS } from '#config/settings.ts'
import * as fc from '../support/fast-check.ts'
import { tempFolder } from '../support/temp-folder.ts'

interface Given extends Partial<ReadOptions> {
  readonly yaml?: string
}

async function read({ yaml, ...options }: Given, folder: string) {
  if (yaml !== undefined) await writeFile(join(folder, 'sluice.yaml'), yaml)
  return readConfiguration({ flags: {}, env: {}, cwd: folder, ...options })
}

async function accepted(given: Given): Promise<Configuration & { readonly folder: string }> {
  await using folder = await tempFolder()
  const result = await read(given, folder.path)
  if (!result.ok) throw new Error(result.problems.join('\n'))
  return { ...result.configuration, folder: folder.path }
}

async function refused(given: Given): Promise<readonly string[]> {
  await using folder = await tempFolder()
  const result = await read(given, folder.path)
  return result.ok ? [] : result.problems
}

describe('the settings file', () => {
  test('overrides the defaults and yields to the environment and the flags', async () => {
    const { settings, origins } = await accepted({
      yaml: 'mode: fast\nconcurrency: 7\nengine:\n  processes: 3\ninclude: ["*.pdf"]\n',
      env: { SLUICE_CONCURRENCY: '8' },
      flags: { mode: 'ocr' },
    })
    expect(settings).toMatchObject({ mode: 'ocr', concurrency: 8, engineProcesses: 3, include: ['*.pdf'], pages: true })
    expect(origins.engineProcesses).toEqual({ from: 'file', at: 'sluice.yaml:4' })
    expect(origins.include).toEqual({ from: 'file', at: 'sluice.yaml:5' })
  })

  test('is optional, may be empty, and can be named or switched off', async () => {
    expect((await accepted({})).file).toBeNull()
    expect((await accepted({ yaml: '# nothing yet\n' })).pipelines).toEqual([])
    expect((await accepted({ yaml: 'mode: fast', config: false })).settings.mode).toBe('auto')
    expect(await refused({ config: 'other.yaml' })).toEqual(['other.yaml: there is no such file'])
    expect(await refused({ env: { SLUICE_CONFIG: 'other.yaml' } })).toEqual(['other.yaml: there is no such file'])
  })

  test('has all mistakes reported at once, each with line, name and suggestion', async () => {
    const problems = await refused({
      yaml: `max-credits: 5
concurency: 3
concurrency: many
engine:
  proceses: 2
  memoryMb: 1
s3Endpoint: http://localhost
options:
  timeout: 0
  onlyMainContnet: true
rules:
  - match: "*.pdf"
    options:
      parsers:
        - type: pdf
          mode: fastest
pipelines:
  papers:
    sorce: in
  scans:
    source: scans
    concurrency: 3
    fomats: [markdown]
  "bad name": { source: x }
`,
      flags: { backlogLimit: 'lots' },
      env: { SLUICE_PAGES: 'perhaps' },
    })
    const expected = [
      /^sluice\.yaml:1: there is no setting "max-credits"; did you mean "maxCredits"\?/,
      /^sluice\.yaml:2: there is no setting "concurency"; did you mean "concurrency"\?/,
      /^sluice\.yaml:3: concurrency: .*\(given: many\)/,
      /^sluice\.yaml:5: there is no setting "engine\.proceses"; did you mean "engine\.processes"\?/,
      /^sluice\.yaml:6: engine\.memoryMb: .*128.*\(given: 1\)/,
      /^sluice\.yaml:7: there is no setting "s3Endpoint"; did you mean "s3\.endpoint"\?/,
      /^sluice\.yaml:9: options\.timeout: /,
      /^sluice\.yaml:10: options\.onlyMainContnet: .*did you mean "onlyMainContent"\?/,
      /^sluice\.yaml:16: rules\.0\.options\.parsers\.0\.mode: /,
      /^sluice\.yaml:19: there is no setting "sorce"; did you mean "source"\?/,
      /^sluice\.yaml:18: pipeline papers needs a source/,
      /^sluice\.yaml:22: concurrency applies to all pipelines: set it at the top/,
      /^sluice\.yaml:23: there is no setting "fomats"; did you mean "formats"\?/,
      /^sluice\.yaml:24: "bad name" is not a valid name of a pipeline/,
      /^--backlog-limit: /,
      /^SLUICE_PAGES: /,
    ]
    for (const pattern of expected) expect(problems).toContainEqual(expect.stringMatching(pattern))
    expect(problems).toHaveLength(expected.length)
  })

  test('has mistakes in its YAML reported with their lines', async () => {
    expect(await refused({ yaml: 'mode: fast\nmode: ocr\n' })).toEqual(['sluice.yaml:2: mode is set twice: remove one'])
    expect(await refused({ yaml: '- mode: fast' })).toEqual([expect.stringMatching(/the file is not a map/)])
  })

  test.each([
    ['include: *.pdf', 'sluice.yaml:1: a value that starts with * or & needs quotes, as in "*.pdf"'],
    ['include: [*.pdf]', 'sluice.yaml:1: a value that starts with * or & needs quotes, as in "*.pdf"'],
    ['include: [a\nmode: ocr', 'sluice.yaml:2: the indentation is wrong, or a bracket above is not closed'],
    ['mode:\n\tocr', 'sluice.yaml:2: a tab indents the line: use spaces'],
    ['mode: ocr\n---\nout: x', 'sluice.yaml:2: the line "---" starts a second document: remove it'],
    [
      'mode: fast: auto',
      'sluice.yaml:1: the value contains ": ", or the next line is indented too far: quote the value, or correct the indentation',
    ],
    ['ocr: true', 'sluice.yaml:1: there is no setting "ocr"; did you mean "mode: ocr"?'],
    [
      'engine: { ocr: true }',
      'sluice.yaml:1: there is no setting "engine.ocr"; docs/reference/settings.md lists all settings',
    ],
    [
      'source: ./papers',
      'sluice.yaml:1: source belongs to a pipeline: write it under pipelines, as in "pipelines: { papers: { source: ./papers } }", or give it on the command line',
    ],
  ])('%j is refused with its line and what to write instead', async (yaml, problem) => {
    expect(await refused({ yaml })).toEqual([problem])
  })

  test('unsets an inherited setting with null', async () => {
    const { pipelines } = await accepted({ yaml: 'rate: 10\npipelines:\n  a: { source: in, rate: null }\n' })
    expect(pipelines[0]?.settings.rate).toBeUndefined()
  })
})

describe('secrets of the settings', () => {
  test('are refused in the settings file with the accepted way to pass them, and never shown', async () => {
    const problems = await refused({
      yaml: `parseApiKey: hush-1
redisUrl: redis://user:hush-2@host:6379
parseApiUrl: https://me:hush-3@host
s3: { secretAccessKey: hush-4 }
engine: { modelKey: hush-5 }
options:
  headers: { Authorization: hush-6 }
rules:
  - { match: "*", options: { headers: { Cookie: hush-7 } } }
pipelines:
  a: { source: "https://me:hush-8@host", parseApiKey: hush-9 }
`,
    })
    expect(problems.join('\n')).not.toMatch(/hush/)
    const expected = [
      /^sluice\.yaml:1: parseApiKey is a secret.*PARSE_API_KEY.*parseApiKeyFile/,
      /^sluice\.yaml:2: redisUrl holds a password.*REDIS_URL.*redisUrlFile/,
      /^sluice\.yaml:3: parseApiUrl holds a password.*PARSE_API_URL/,
      /^sluice\.yaml:4: s3\.secretAccessKey.*AWS_SECRET_ACCESS_KEY/,
      /^sluice\.yaml:5: engine\.modelKey is a secret.*SLUICE_ENGINE_MODEL_KEY.*engine\.modelKeyFile/,
      /^sluice\.yaml:7: the header Authorization is a secret.*SLUICE_OPTIONS/,
      /^sluice\.yaml:9: the header Cookie is a secret.*SLUICE_RULES/,
      /^sluice\.yaml:11: source holds a password/,
      /^sluice\.yaml:11: parseApiKey is a secret/,
    ]
    for (const pattern of expected) expect(problems).toContainEqual(expect.stringMatching(pattern))
    expect(problems).toHaveLength(expected.length)
  })

  test('are read from the environment, or from files named there or in the settings file', async () => {
    await using folder = await tempFolder()
    const { path } = folder
    await writeFile(join(path, 'key'), 'from-file\n')
    await writeFile(join(path, 'empty'), '\n')
    const keyOf = async (yaml: string, env = {}) => {
      const result = await read({ yaml, env }, path)
      return result.ok ? result.configuration.settings.parseApiKey : result.problems
    }
    expect(await keyOf('parseApiKeyFile: key')).toBe('from-file')
    expect(await keyOf('', { PARSE_API_KEY_FILE: join(path, 'key') })).toBe('from-file')
    expect(await keyOf('parseApiKeyFile: key', { PARSE_API_KEY: 'direct' })).toBe('direct')
    expect(await keyOf('redisUrl: redis://host:6379\nparseApiKeyFile: empty')).toEqual([
      expect.stringMatching(/^sluice\.yaml:2: the file .*empty is empty/),
    ])
    expect(await keyOf('parseApiKeyFile: missing')).toEqual([
      expect.stringMatching(/missing cannot be read \(ENOENT\)/),
    ])
  })
})

describe('pipelines of the settings file', () => {
  const TWO = `out: corpus
concurrency: 9
pipelines:
  papers:
    source: ~/papers
    formats: [markdown, html]
  scans:
    source: s3://bucket/scans
    out: scans-out
    mode: ocr
    s3:
      region: eu-west-1
`

  test('combine the defaults of the file with their own settings', async () => {
    const { pipelines, folder, settings } = await accepted({ yaml: TWO })
    expect(pipelines).toMatchObject([
      {
        name: 'papers',
        source: join(homedir(), 'papers'),
        settings: { formats: ['markdown', 'html'], concurrency: 9 },
      },
      { name: 'scans', source: 's3://bucket/scans', settings: { mode: 'ocr', s3Region: 'eu-west-1', concurrency: 9 } },
    ])
    expect(pipelines.map((pipeline) => pipeline.settings.out)).toEqual([
      join(folder, 'corpus'),
      join(folder, 'scans-out'),
    ])
    expect(settings.formats).toEqual([])
  })

  test('yield to flags and the environment', async () => {
    const { pipelines } = await accepted({ yaml: TWO, flags: { mode: 'fast' }, env: { SLUICE_FORMATS: 'links' } })
    expect(pipelines.map(({ settings }) => [settings.mode, settings.formats])).toEqual([
      ['fast', ['links']],
      ['fast', ['links']],
    ])
  })

  test('resolve paths and keep state relative to a settings file in another folder', async () => {
    await using folder = await tempFolder()
    await mkdir(join(folder.path, 'etc'))
    await writeFile(join(folder.path, 'etc/own.yaml'), 'pipelines:\n  a: { source: in, out: ./out }\n')
    const result = await read({ config: 'etc/own.yaml' }, folder.path)
    if (!result.ok) throw new Error(result.problems.join('\n'))
    expect(result.configuration.pipelines).toMatchObject([
      { source: join(folder.path, 'etc/in'), settings: { out: join(folder.path, 'etc/out') } },
    ])
    expect(sharedSettings(result.configuration).stateDir).toBe(join(folder.path, 'etc/.sluice'))
  })

  test('are selected by name, and refused when two would write to one store', async () => {
    const configuration = await accepted({ yaml: TWO })
    expect(choosePipelines(configuration, ['scans'])).toMatchObject({ ok: true, pipelines: [{ name: 'scans' }] })
    expect(choosePipelines(configuration, ['scan'])).toMatchObject({
      problems: [expect.stringMatching(/no pipeline "scan": sluice\.yaml has papers, scans; did you mean "scans"\?/)],
    })
    const clash = await accepted({ yaml: TWO, flags: { out: 'one' } })
    expect(choosePipelines(clash, [])).toMatchObject({
      problems: [expect.stringMatching(/papers and scans would write to the same store, one/)],
    })
  })
})

describe('environment variables', () => {
  test('that mistype a known name are mistakes, each with a suggestion', async () => {
    const env = {
      SLUICE_CONCURENCY: '5',
      SLUICE_MAXCREDITS: '5',
      PARSE_API_URI: 'x',
      PARSE_APIKEY: 'x',
      REDIS_ULR: 'x',
    }
    expect(await refused({ env })).toEqual([
      'there is no environment variable SLUICE_CONCURENCY; did you mean "SLUICE_CONCURRENCY"?',
      'there is no environment variable SLUICE_MAXCREDITS; did you mean "SLUICE_MAX_CREDITS"?',
      'there is no environment variable PARSE_API_URI; did you mean "PARSE_API_URL"?',
      'there is no environment variable PARSE_APIKEY; did you mean "PARSE_API_KEY"?',
      'there is no environment variable REDIS_ULR; did you mean "REDIS_URL"?',
    ])
    expect(await refused({ env: { REDIS_URI: 'redis://hush' } })).toEqual([
      'there is no environment variable REDIS_URI; did you mean "REDIS_URL"?',
    ])
  })

  test('of other programs and Kubernetes are accepted, as are names close to a given setting', async () => {
    const others = `REDIS_HOST REDIS_PORT REDIS_TLS_URL REDIS_SSL REDIS_TTL REDIS_DB REDIS_USER REDIS_URL_FILE
      PARSE_SERVER_URL PARSE_APP_ID PARSE_MASTER_KEY SLUICE_SERVICE_HOST SLUICE_SERVICE_PORT SLUICE_SERVICE_PORT_HTTP
      SLUICE_PORT SLUICE_PORT_80_TCP SLUICE_PORT_80_TCP_PROTO SLUICE_ENGINE_SERVICE_HOST SLUICE_ENGINE_PORT_80_TCP_ADDR
      SLUICE_CONFIG SLUICE_HEALTH_URL GPU_KEY`.split(/\s+/)
    await using folder = await tempFolder()
    const path = join(folder.path, 'file')
    await writeFile(path, 'redis://queue')
    const env = Object.fromEntries(others.map((name) => [name, name.endsWith('_FILE') ? path : 'tcp://10.0.0.1:80']))
    const services = '{"gpu": {"url": "https://gpu", "keyEnv": "SLUICE_GPU_KEY"}}'
    const config = false
    expect((await accepted({ config, env })).warnings).toEqual([])
    expect(
      (await accepted({ env: { SLUICE_SERVICES: services, SLUICE_GPU_KEY: 'x', SLUICE_MODES: '' } })).warnings,
    ).toEqual([])
    expect((await accepted({ flags: { redisUrl: 'redis://queue' }, env: { REDIS_URI: 'x' } })).warnings).toEqual([])
  })

  test('with the prefix of Sluice that nothing reads are named in one warning', async () => {
    const { warnings } = await accepted({ env: { SLUICE_VERSION: '3', SLUICE_TEAM_NAME: 'x' } })
    expect(warnings).toEqual(['unknown environment variable ignored: SLUICE_VERSION, SLUICE_TEAM_NAME'])
  })

  test('of a removed setting are ignored with a hint at its replacement, as in the file', async () => {
    const yaml = 'out: here\ncontextUrl: https://model/v1\n'
    const { warnings, settings } = await accepted({ yaml, env: { SLUICE_CONTEXT_RATE: '5' } })
    expect(settings.out).toMatch(/here$/)
    expect(warnings).toEqual([
      expect.stringMatching(
        /^sluice\.yaml:2: the setting contextUrl was removed and is ignored: docs\/guide\/retrieval\.md has a recipe for contexts of chunks$/,
      ),
      'unknown environment variable ignored: SLUICE_CONTEXT_RATE (docs/guide/retrieval.md has a recipe for contexts of chunks)',
    ])
  })

  test('of refresh are read as its successor, and do not override it', async () => {
    const { warnings, settings } = await accepted({ yaml: 'refresh: true\nchecksum: false\n' })
    expect(settings.detectChanges).toBe('content')
    expect(warnings).toEqual([
      'sluice.yaml:1: the setting refresh was replaced: Sluice reads it as detectChanges: content',
      'sluice.yaml:2: the setting checksum was removed and is ignored: set detectChanges to content',
    ])
    for (const yaml of ['refresh: true\ndetectChanges: version\n', 'detectChanges: version\nrefresh: true\n']) {
      expect((await accepted({ yaml })).settings.detectChanges).toBe('version')
    }
  })

  test('with one or two letters changed, omitted or added are mistakes', async () => {
    const known = new Set<string>(Object.values(SETTINGS).map(({ env }) => env))
    const slips = fc.array(fc.tuple(fc.nat(60), fc.constantFrom('A', '_', 'Z', '')), { minLength: 1, maxLength: 2 })
    const names = fc.constantFrom(...[...known].filter((name) => name.startsWith('SLUICE_')))
    await fc.assert(
      fc.asyncProperty(names, slips, fc.boolean(), async (name, changes, insert) => {
        const mistyped = changes.reduce((text, [where, letter]) => {
          const at = 7 + (where % (text.length - 6))
          return `${text.slice(0, at)}${letter}${text.slice(insert && letter !== '' ? at : at + 1)}`
        }, name)
        fc.pre(!known.has(mistyped) && !/^SLUICE_(SERVICE_|PORT|\w+_FILE|\w+_SERVICE_|\w+_PORT_)/.test(mistyped))
        const problems = await refused({ config: false, env: { [mistyped]: '1' } })
        expect(problems[0]).toMatch(
          new RegExp(`^there is no environment variable ${mistyped}; did you mean "[A-Z0-9_]+"\\?$`),
        )
      }),
    )
  })
})
