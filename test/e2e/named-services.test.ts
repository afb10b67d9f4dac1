import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { answerOf } from '../support/paged-answer.ts'
import { Random } from '../support/random.ts'
import { parsedReply, ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'
import { seedFrom } from '../support/seed.ts'

const SEED = seedFrom('SERVICES_SEED', 1)
const REPORT = resolve(import.meta.dirname, '../../samples/annual-report.pdf')
const FOLDERS = { 'own/': 'gpu', 'a/b/': 'vendor', 'scans/': 'gpu', '': 'default', 'other/': 'default' } as const
const KEYS = {
  gpu: 'key-of-gpu-7d1',
  vendor: 'key-of-vendor-9f3',
  default: 'key-of-default-2c8',
} as const

const startOne = (): Promise<ScriptedService> =>
  new ScriptedService({
    answers: ({ file }) => {
      const pages = file?.content?.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0
      if (pages === 0) return parsedReply('# Parsed\n', { metadata: { statusCode: 200, creditsUsed: 2 } })
      return answerOf(Array(pages).fill('Bought.') as string[], null)
    },
  }).listen()

test('rules send each document only to the service that they name, with its key', async () => {
  await using folder = await tempFolder()
  await using gpu = await startOne()
  await using vendor = await startOne()
  await using standard = await startOne()
  const [source, out, config] = ['in', 'out', 'sluice.yaml'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ]
  const random = new Random(SEED)
  const words = new Map<string, string>()
  for (let number = 0; number < 20; number += 1) {
    const key = `${random.pick(Object.keys(FOLDERS))}${number}.html`
    words.set(key, `WORD${number}Q${random.below(1e9)}`)
    await mkdir(dirname(join(source, key)), { recursive: true })
    await writeFile(join(source, key), `<p>Document ${words.get(key)}.`)
  }
  await mkdir(join(source, 'paged'))
  await cp(REPORT, join(source, 'paged/report.pdf'))
  await writeFile(
    config,
    `parseApiUrl: ${standard.url}
qualityFloor: 1
services:
  gpu: { url: '${gpu.url}', keyEnv: GPU_KEY, reportedCredit: 0, prices: { document: 0, furtherPage: 0 } }
  vendor: { url: '${vendor.url}', keyEnv: VENDOR_KEY, rate: 600 }
rules:
  - { match: 'paged/**', route: local-first, service: vendor }
  - { match: ['own/**', 'scans/**'], service: gpu }
  - { match: 'a/**', service: vendor }
`,
  )
  const env = { PARSE_API_KEY: KEYS.default, GPU_KEY: KEYS.gpu, VENDOR_KEY: KEYS.vendor }
  const flags = ['run', source, '--out', out, '--config', config]
  const ran = await sluice([...flags, '--json'], { env })
  expect(ran.code, `seed ${SEED}: ${ran.stderr}`).toBe(0)

  const { records } = await readStore(out)
  const services = { gpu, vendor, default: standard } as const
  const wires = Object.entries(services).map(([name, { requests }]) => {
    expect(new Set(requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${KEYS[name as keyof typeof KEYS]}`]),
    )
    return [name, requests.map(({ parts }) => parts.map(({ content }) => String(content)).join('')).join('\n')] as const
  })
  for (const [key, word] of words) {
    const meant = Object.entries(FOLDERS).find(([start]) => start === key.replace(/\d+\.html$/, ''))?.[1] ?? 'default'
    const reached = wires.flatMap(([name, wire]) => (wire.includes(word) ? [name] : []))
    expect(reached, `seed ${SEED}: ${key}`).toEqual([meant])
    expect(records.get(key)?.parser?.origin, key).toBe(services[meant].url)
    expect(records.get(key)?.cost.credits, key).toBe(meant === 'gpu' ? 0 : 2)
  }
  const paged = records.get('paged/report.pdf')
  expect(paged?.route?.pages.map(({ parser }) => parser)).toEqual(['service', 'service', 'service'])
  expect(paged?.parser).toMatchObject({ class: 'service', origin: vendor.url })
  const log = await readFile(join(out, '.sluice/sluice.log'), 'utf8').catch(() => '')
  const shown = await sluice(['config', '--config', config], { env })
  for (const key of Object.values(KEYS)) expect(ran.stdout + ran.stderr + log + shown.stdout).not.toContain(key)

  const before = gpu.requests.length + vendor.requests.length + standard.requests.length
  const again = await sluice(flags, { env })
  expect(again.code, again.stderr).toBe(0)
  expect(gpu.requests.length + vendor.requests.length + standard.requests.length).toBe(before)

  const sent = () => Object.fromEntries(Object.entries(services).map(([name, { requests }]) => [name, requests.length]))
  const others = sent()
  const where = [source, '--out', out, '--config', config]
  const report = join(folder.path, 'report')
  const audit = await sluice(['audit', ...where, '--service', 'vendor', '--sample', '3', '--report', report], { env })
  expect(audit.code, audit.stderr + audit.stdout).toBe(0)
  expect(JSON.parse(await readFile(join(report, 'audit.json'), 'utf8'))).toMatchObject({ service: vendor.url })
  const audited = sent()
  expect(audited).toEqual({ ...others, vendor: expect.any(Number) as number })
  expect(audited['vendor']).toBeGreaterThan(others['vendor']!)

  const status = await sluice(['status', ...where], { env })
  expect(status.stdout).toMatch(/^limiter: default: .*; vendor: .*in flight/m)
  const unknown = await sluice(['audit', ...where, '--service', 'gpx'], { env })
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringMatching(/no service "gpx"; services are default, gpu/),
  ])
}, 240_000)

test('a rule for a service without settings or key stops a run and its plan with one sentence', async () => {
  await using folder = await tempFolder()
  await using standard = await startOne()
  const [source, config] = [join(folder.path, 'in'), join(folder.path, 'sluice.yaml')]
  await mkdir(source)
  await writeFile(join(source, 'a.html'), '<p>A document.')
  const wrong: readonly (readonly [string, RegExp])[] = [
    [`rules: [{ match: '*', service: gpx }]`, /there is no service "gpx"; services are gpu/],
    [`rules: [{ match: '*', service: gpu }]`, /services\.gpu\.keyEnv: the environment variable GPU_KEY is not set/],
    [`rules: [{ match: '*', servce: gpu }]`, /servce/],
    [`rules: [{ match: '*', service: [gpu, default] }]`, /rules\.0\.service: the name of a service is needed/],
  ]
  for (const [rules, sentence] of wrong) {
    await writeFile(
      config,
      `parseApiUrl: ${standard.url}\nservices: { gpu: { url: 'http://127.0.0.1:9', keyEnv: GPU_KEY } }\n${rules}\n`,
    )
    for (const command of ['run', 'plan']) {
      const refused = await sluice([command, source, '--out', join(folder.path, 'out'), '--config', config])
      expect(refused.code, `${command}: ${rules}`).toBe(1)
      expect(refused.stderr).toMatch(sentence)
      expect(refused.stderr).not.toMatch(/^ +at /m)
    }
  }
  await writeFile(config, `services: { gpu: { url: 'http://me:secret@127.0.0.1:9' } }\n`)
  const login = await sluice(['run', source, '--out', join(folder.path, 'out'), '--config', config])
  expect(login.code).toBe(1)
  expect(login.stderr).toMatch(/services\.gpu\.url.*password/)
  expect(login.stdout + login.stderr).not.toContain('secret')
  expect(standard.requests).toEqual([])
}, 240_000)
