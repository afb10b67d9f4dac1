import { describe, expect, test } from 'vitest'
import { flagOf } from '#config/flag-name.ts'
import { loadSettings, SETTING_NAMES } from '#config/load.ts'
import { SETTINGS } from '#config/settings.ts'

describe('settings', () => {
  test('have defaults for everything', () => {
    const loaded = loadSettings({}, {}, {})
    expect(loaded).toMatchObject({ ok: true, settings: { out: 'out', mode: 'auto', pages: true, concurrency: 50 } })
  })

  test('are read from flags before the environment, and from the environment before the file', () => {
    const env = { SLUICE_OUT: 'from-env', SLUICE_MODE: 'ocr' }
    const at = 'sluice.yaml:3'
    const file = { out: { value: 'from-file', at }, mode: { value: 'fast', at }, concurrency: { value: 7, at } }
    const loaded = loadSettings({ out: 'from-flag' }, file, env)
    expect(loaded).toMatchObject({
      ok: true,
      settings: { out: 'from-flag', mode: 'ocr', concurrency: 7 },
      origins: {
        out: { from: 'flag', name: '--out' },
        mode: { from: 'environment', name: 'SLUICE_MODE' },
        concurrency: { from: 'file', at },
        pages: { from: 'default' },
      },
    })
  })

  test('report every mistake at once, each with its origin', () => {
    const loaded = loadSettings({ concurrency: 'many', mode: 'slow' }, {}, { SLUICE_PAGES: 'perhaps' })
    expect(loaded.ok).toBe(false)
    const reported = loaded.ok ? '' : loaded.problems.join('\n')
    expect(reported).toMatch(/--concurrency: .*\(given: many\)/)
    expect(reported).toMatch(/--mode: /)
    expect(reported).toMatch(/SLUICE_PAGES: /)
  })

  test('never show a secret in a mistake', () => {
    const loaded = loadSettings({ engineKeys: '{"hush": 1}', redisUrl: '' }, {}, {})
    expect(loaded.ok ? '' : loaded.problems.join('\n')).not.toContain('1}')
    const login = loadSettings({ concurrency: 'redis://user:hush@host' }, {}, {})
    expect(login.ok ? '' : login.problems.join('\n')).toMatch(/given: redis:\/\/user:…@host/)
  })

  test('read an empty variable as unset, commas as lists and JSON as structures', () => {
    const env = {
      SLUICE_OUT: '',
      SLUICE_INCLUDE: '**/*.pdf, **/*.docx',
      SLUICE_RULES: '[{"match":"a/**","options":{}}]',
    }
    expect(loadSettings({}, {}, env)).toMatchObject({
      ok: true,
      settings: { out: 'out', include: ['**/*.pdf', '**/*.docx'], rules: [{ match: 'a/**', options: {} }] },
    })
  })

  test('keep the options of a rule as written, without defaults that would override other settings', () => {
    const rules = [{ match: ['*.pdf'], options: { parsers: [{ type: 'pdf', mode: 'ocr' }] } }]
    const loaded = loadSettings({ rules: JSON.stringify(rules) }, {}, {})
    expect(loaded.ok ? loaded.settings.rules : loaded.problems).toEqual(rules)
  })

  test('report every mistake in parse options before anything is opened', () => {
    const loaded = loadSettings(
      { options: '{"timeout":0,"parsers":[{"type":"pdf","pagez":1}]}', formats: 'text' },
      {},
      {},
    )
    const reported = loaded.ok ? '' : loaded.problems.join('\n')
    expect(reported).toMatch(/--options\.timeout: /)
    expect(reported).toMatch(/--options\.parsers\.0\.pagez: /)
    expect(reported).toMatch(/--formats: .*\(given: text\)/)
  })

  test('accept a service address with a path from a flag, a variable, the file and a named service', () => {
    const loaded = ['/v2', '/v2/', '/v2/parse', '/v2/parse/', ''].map((path) => [
      loadSettings({ parseApiUrl: `https://u:p@host/base${path}` }, {}, {}),
      loadSettings({}, {}, { PARSE_API_URL: `https://u:p@host/base${path}` }),
      loadSettings({}, { parseApiUrl: { value: `https://u:p@host/base${path}`, at: 'sluice.yaml:1' } }, {}),
    ])
    for (const one of loaded.flat()) expect(one).toMatchObject({ settings: { parseApiUrl: 'https://u:p@host/base' } })
    const services = loadSettings({ services: '{"gpu": {"url": "http://gpu/v2"}}' }, {}, {})
    expect(services).toMatchObject({ settings: { services: { gpu: { url: 'http://gpu' } } } })
    const kept = ['http://v2', 'http://host/v22', 'http://host/v2/team'].map((url) =>
      loadSettings({ parseApiUrl: url }, {}, {}),
    )
    expect(kept.map((one) => one.ok && one.settings.parseApiUrl)).toEqual([
      'http://v2',
      'http://host/v22',
      'http://host/v2/team',
    ])
  })

  test('have one variable each, and flags in kebab-case', () => {
    const variables = SETTING_NAMES.map((name) => SETTINGS[name].env)
    expect(new Set(variables).size).toBe(variables.length)
    expect(flagOf('maxCredits')).toBe('max-credits')
  })
})
