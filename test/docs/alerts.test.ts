import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { tempFolder } from '../support/temp-folder.ts'
import { findPrometheus } from '../support/prometheus.ts'
import { dashboardProblems, type Dashboard } from './dashboard-schema.ts'

const DOCS = resolve(import.meta.dirname, '../../docs')
const read = (name: string): Promise<string> => readFile(resolve(DOCS, name), 'utf8')

interface Rule {
  readonly alert: string
  readonly annotations: Readonly<Record<string, string>>
}

const rules = (parse(await read('monitoring/rules.yml')) as { groups: [{ rules: Rule[] }] }).groups[0].rules
const cases = (parse(await read('monitoring/rules.test.yml')) as { tests: { name: string }[] }).tests

/** As GitHub makes the address of a heading. */
const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

test('each alert links to a heading of docs/internals/failures.md', async () => {
  const headings = [...(await read('internals/failures.md')).matchAll(/^## (.+)$/gm)].map(([, heading = '']) =>
    slug(heading),
  )
  const links = rules.map(({ annotations }) => annotations['runbook'] ?? '')
  expect(links.length).toBeGreaterThan(10)
  expect(links.filter((link) => !headings.some((heading) => link === `docs/internals/failures.md#${heading}`))).toEqual(
    [],
  )
})

test('each alert has a case in which it fires and one in which it is silent', () => {
  const names = cases.map(({ name }) => name)
  const missing = rules.flatMap(({ alert }) =>
    ['fires', 'is silent'].filter((end) => !names.includes(`${alert} ${end}`)).map((end) => `${alert} ${end}`),
  )
  expect(missing).toEqual([])
})

test('the dashboard is valid for the dashboard schema, and its panels neither overlap nor share an id', async () => {
  const dashboard = JSON.parse(await read('monitoring/grafana/sluice.json')) as Dashboard
  expect(dashboardProblems(dashboard)).toEqual([])
  const broken = { ...dashboard, panels: [...dashboard.panels, { ...dashboard.panels[1], targets: 'none' }] }
  expect(dashboardProblems(broken as unknown as Dashboard)).not.toEqual([])
})

const programs = await findPrometheus()
if (typeof programs === 'string') console.warn(`promtool test rules is skipped: ${programs}`)

test.skipIf(typeof programs === 'string')(
  'promtool test rules finds each alert firing and silent as its cases expect',
  () => {
    if (typeof programs === 'string') throw new Error(programs)
    const options = { cwd: resolve(DOCS, 'monitoring'), encoding: 'utf8' } as const
    const tested = spawnSync(programs.promtool, ['test', 'rules', 'rules.test.yml'], options)
    expect(tested.status, tested.stdout + tested.stderr).toBe(0)
  },
  240_000,
)

interface Compose {
  readonly services: Readonly<Record<string, { readonly volumes?: readonly string[] }>>
}

/** `./docs/monitoring/rules.yml:/etc/prometheus/rules.yml:ro` of a service: by path in the container, the file. */
async function mountsOf(service: string): Promise<ReadonlyMap<string, string>> {
  const { services } = parse(await readFile(resolve(DOCS, '../docker-compose.yml'), 'utf8')) as Compose
  const mounts = (services[service]?.volumes ?? []).map((volume) => volume.split(':'))
  return new Map(mounts.map(([from = '', to = '']) => [to, resolve(DOCS, '..', from)]))
}

test('the files that docker-compose.yml mounts into Grafana are where its provisioning expects them', async () => {
  const mounts = await mountsOf('grafana')
  const dashboards = mounts.get('/etc/grafana/provisioning/dashboards/sluice.yaml') ?? ''
  const datasources = mounts.get('/etc/grafana/provisioning/datasources/sluice.yaml') ?? ''
  const provider = parse(await readFile(dashboards, 'utf8')) as { providers: [{ options: { path: string } }] }
  const dashboard = mounts.get(`${provider.providers[0].options.path}/sluice.json`) ?? ''
  expect(dashboardProblems(JSON.parse(await readFile(dashboard, 'utf8')) as Dashboard)).toEqual([])
  const source = parse(await readFile(datasources, 'utf8')) as { datasources: [{ type: string; url: string }] }
  expect(source.datasources).toMatchObject([{ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true }])
})

test.skipIf(typeof programs === 'string')(
  'promtool check config accepts prometheus.yml with the files that docker-compose.yml mounts',
  async () => {
    if (typeof programs === 'string') throw new Error(programs)
    const mounts = await mountsOf('prometheus')
    await using folder = await tempFolder()
    let config = await readFile(mounts.get('/etc/prometheus/prometheus.yml') ?? '', 'utf8')
    for (const [inside, file] of mounts) config = config.replaceAll(inside, file)
    const path = resolve(folder.path, 'prometheus.yml')
    await writeFile(path, config)
    const checked = spawnSync(programs.promtool, ['check', 'config', path], { encoding: 'utf8' })
    expect([checked.status, checked.stdout]).toEqual([
      0,
      expect.stringContaining(`SUCCESS: ${rules.length} rules found`),
    ])
  },
)
