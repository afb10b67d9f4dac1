import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { SETTINGS } from '#config/settings.ts'
import { Events } from '#src/events.ts'
import { metricsOf } from '#src/observe/metrics.ts'
import { sluice } from '../support/sluice.ts'

interface Container {
  readonly args: readonly [command: string, source: string]
  readonly ports: readonly [{ readonly name: string; readonly containerPort: number }]
  readonly livenessProbe: { readonly httpGet: { readonly path: string; readonly port: string } }
  readonly readinessProbe: { readonly httpGet: { readonly path: string; readonly port: string } }
}

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly template?: {
      readonly spec: { readonly terminationGracePeriodSeconds: number; readonly containers: readonly [Container] }
    }
    readonly scaleTargetRef?: { readonly name: string }
    readonly triggers?: readonly { readonly metadata: Readonly<Record<string, string>> }[]
  }
}

let manifests: readonly Manifest[] = []

beforeAll(async () => {
  const text = await readFile(resolve(import.meta.dirname, '../../docs/kubernetes/sluice.yaml'), 'utf8')
  const documents = [...parseAllDocuments(text)]
  expect(documents.flatMap((document) => document.errors)).toEqual([])
  manifests = documents.map((document) => document.toJS() as Manifest)
})

const all = (kind: string): readonly Manifest[] => manifests.filter((manifest) => manifest.kind === kind)
const pods = () => all('Deployment').flatMap(({ spec }) => (spec?.template === undefined ? [] : [spec.template.spec]))

describe('docs/kubernetes/sluice.yaml', () => {
  test('sets nothing that Sluice would not read', () => {
    const known = new Set<string>(Object.values(SETTINGS).map(({ env }) => env))
    const set = manifests.flatMap(({ data = {}, stringData = {} }) => [
      ...Object.keys(data),
      ...Object.keys(stringData),
    ])
    expect(set.length).toBeGreaterThan(5)
    expect(set.filter((name) => !known.has(name) && !name.startsWith('AWS_'))).toEqual([])
  })

  test('scales the workers on a metric that a worker exports', () => {
    const [scaled] = all('ScaledObject')
    const query = scaled?.spec?.triggers?.[0]?.metadata['query'] ?? ''
    const [, metric = ''] = /\((\w+)\)/.exec(query) ?? []
    const registry = metricsOf(new Events(), {
      counts: () => Promise.reject(new Error('not asked for')),
      backlog: async () => 0,
    })
    expect(registry.getSingleMetric(metric), query).toBeDefined()
    expect(all('Deployment').map(({ metadata }) => metadata.name)).toContain(scaled?.spec?.scaleTargetRef?.name)
  })

  test('asks for life where it is told, and leaves time to finish', () => {
    const port = Number(all('ConfigMap')[0]?.data?.['SLUICE_METRICS_PORT'])
    expect(pods()).toHaveLength(2)
    for (const pod of pods()) {
      const [container] = pod.containers
      expect(container.ports).toEqual([{ name: 'metrics', containerPort: port }])
      expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'metrics' })
      expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'metrics' })
      const graceMs = SETTINGS.graceMs.schema.parse(undefined)
      expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(graceMs)
    }
  })

  test('runs commands that there are, on one and the same source', async () => {
    const { stdout } = await sluice(['--help'])
    const runs = pods().map(({ containers: [{ args }] }) => args)
    expect(runs.map(([command]) => command).toSorted()).toEqual(['watch', 'work'])
    for (const [command] of runs) expect(stdout).toMatch(new RegExp(`^ +${command} `, 'm'))
    expect(new Set(runs.map(([, source]) => source)).size).toBe(1)
  })
})
