import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { choosePipelines } from '#config/choose-pipelines.ts'
import { readConfiguration } from '#config/read-config.ts'
import { SETTINGS } from '#config/settings.ts'
import { Events } from '#src/events.ts'
import { metricsOf } from '#src/observe/metrics.ts'
import { sluice } from '../support/sluice.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject'
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { CronJob } from 'kubernetes-models/batch/v1/CronJob'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Secret } from 'kubernetes-models/v1/Secret'
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount'

/** Their validators are made from Kubernetes' OpenAPI description and from the custom resource definitions. */
const MODELS = [
  ServiceAccount,
  ConfigMap,
  Secret,
  Deployment,
  CronJob,
  PodDisruptionBudget,
  NetworkPolicy,
  PodMonitor,
  ScaledObject,
] as const

/**
 * What of a manifest its schema refuses. Strict: a field that no schema names is refused too. The validators let such a
 * field through, and never read it; so each field that they do not read is one.
 */
function schemaProblems(manifest: { readonly apiVersion: string; readonly kind: string }): string[] {
  const { apiVersion, kind } = manifest
  const model = MODELS.find((each) => each.apiVersion === apiVersion && each.kind === kind)
  if (model === undefined) return [`there is no schema for ${apiVersion} ${kind}`]
  const unread = new Set<string>()
  try {
    model.prototype.validate.call(watched(manifest, '', unread) as never)
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
  return [...unread].map((path) => `${path}: no such field`)
}

/** The same data; fields that were read are no longer in `unread`. */
function watched(data: unknown, path: string, unread: Set<string>): unknown {
  if (typeof data !== 'object' || data === null) return data
  const copies = new Map<string, unknown>()
  for (const [name, value] of Object.entries(data)) {
    unread.add(`${path}/${name}`)
    copies.set(name, watched(value, `${path}/${name}`, unread))
  }
  return new Proxy(data, {
    get(target, name, receiver) {
      if (typeof name !== 'string' || !copies.has(name)) return Reflect.get(target, name, receiver) as unknown
      unread.delete(`${path}/${name}`)
      return copies.get(name)
    },
  })
}

const FOLDER = resolve(import.meta.dirname, '../../docs/kubernetes')

interface Container {
  readonly name: string
  readonly args: readonly [command: string, ...words: string[]]
  readonly image: string
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly livenessProbe?: { readonly httpGet: object }
  readonly readinessProbe?: { readonly httpGet: object }
  readonly resources: { readonly requests: Record<string, string>; readonly limits: Record<string, string> }
  readonly securityContext: object
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}

interface Pod {
  readonly containers: readonly [Container]
  readonly securityContext: object
  readonly volumes: readonly Readonly<Record<string, unknown>>[]
  readonly terminationGracePeriodSeconds: number
  readonly serviceAccountName: string
  readonly topologySpreadConstraints?: readonly { readonly labelSelector: { readonly matchLabels: Labels } }[]
}

type Labels = Readonly<Record<string, string>>

interface Template {
  readonly metadata: { readonly labels: Labels }
  readonly spec: Pod
}

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Labels
  readonly stringData?: Labels
  readonly spec?: {
    readonly template?: Template
    readonly jobTemplate?: { readonly spec: { readonly template: Template } }
    readonly selector?: { readonly matchLabels: Labels }
    readonly podSelector?: { readonly matchLabels: Labels }
    readonly scaleTargetRef?: { readonly name: string }
    readonly triggers?: readonly { readonly metadata: Labels }[]
    readonly podMetricsEndpoints?: readonly { readonly port: string; readonly path: string }[]
    readonly ingress?: readonly { readonly ports: readonly { readonly port: number }[] }[]
  }
}

let manifests: readonly Manifest[] = []

beforeAll(async () => {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.yaml'))
  expect(files.toSorted()).toEqual(['cronjob.yaml', 'keda.yaml', 'monitoring.yaml', 'sluice.yaml'])
  const texts = await Promise.all(files.map((name) => readFile(join(FOLDER, name), 'utf8')))
  const documents = texts.flatMap((text) => [...parseAllDocuments(text)])
  expect(documents.flatMap((document) => document.errors)).toEqual([])
  manifests = documents.map((document) => document.toJS() as Manifest)
})

const all = (kind: string): readonly Manifest[] => manifests.filter((manifest) => manifest.kind === kind)
const templates = (): Template[] =>
  manifests.flatMap(({ spec }) => spec?.template ?? spec?.jobTemplate?.spec.template ?? [])
const settingsFile = (): string => all('ConfigMap')[0]?.data?.['sluice.yaml'] ?? ''

describe('the manifests of docs/kubernetes', () => {
  test('match the schemas of Kubernetes, KEDA and the Prometheus Operator, without other fields', () => {
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual([
      'ConfigMap',
      'CronJob',
      'Deployment',
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PodMonitor',
      'ScaledObject',
      'Secret',
      'ServiceAccount',
    ])
    expect(manifests.flatMap((manifest) => schemaProblems(manifest).map((each) => `${manifest.kind} ${each}`))).toEqual(
      [],
    )
  })

  test('with a wrong type or a misspelt field are refused by the schemas', () => {
    const [watcher] = all('Deployment')
    const changed = (change: (pod: Record<string, unknown>) => void): Manifest => {
      const copy = structuredClone(watcher) as Manifest
      change((copy.spec?.template?.spec ?? {}) as unknown as Record<string, unknown>)
      return copy
    }
    expect(schemaProblems(changed((pod) => (pod['terminationGracePeriodSeconds'] = 'long')))).not.toEqual([])
    expect(schemaProblems(changed((pod) => (pod['serviceAcountName'] = 'sluice')))).toEqual([
      '/spec/template/spec/serviceAcountName: no such field',
    ])
  })

  test('are admitted by the "restricted" Pod Security profile, and change nothing in the image', () => {
    expect(templates()).toHaveLength(3)
    for (const { spec } of templates()) {
      expect(Object.keys(spec).filter((name) => /^host|^(?:init|ephemeral)Containers/.test(name))).toEqual([])
      const ids = { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 }
      expect(spec.securityContext).toEqual({ ...ids, seccompProfile: { type: 'RuntimeDefault' } })
      const [{ securityContext, volumeMounts }, ...others] = spec.containers
      expect(others).toEqual([])
      const noPrivileges = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
      expect(securityContext).toEqual({ ...noPrivileges, readOnlyRootFilesystem: true })
      expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/etc/sluice', '/state', '/tmp'])
      const kinds = spec.volumes.map((volume) =>
        Object.keys(volume)
          .filter((key) => key !== 'name')
          .join(),
      )
      expect(kinds).toEqual(['configMap', 'emptyDir', 'emptyDir'])
    }
  })

  test('set nothing but settings of Sluice', async () => {
    const known = new Set<string>([...Object.values(SETTINGS).map(({ env }) => env), 'SLUICE_CONFIG'])
    const set = [
      ...all('Secret').flatMap(({ stringData = {} }) => Object.keys(stringData)),
      ...templates().flatMap(({ spec }) => spec.containers[0].env.map(({ name }) => name)),
    ]
    expect(set.length).toBeGreaterThan(5)
    expect(set.filter((name) => !known.has(name) && !name.startsWith('AWS_'))).toEqual([])
    await using folder = await tempFolder()
    const file = join(folder.path, 'sluice.yaml')
    await writeFile(file, settingsFile())
    const read = await readConfiguration({ flags: {}, config: file })
    expect(read.ok ? choosePipelines(read.configuration, ['inbox']).ok : read.problems).toBe(true)
  })

  test('have the version of the package', async () => {
    const { version } = JSON.parse(await readFile(resolve(FOLDER, '../../package.json'), 'utf8')) as { version: string }
    const images = new Set(templates().map(({ spec }) => spec.containers[0].image.split(':')[1]))
    expect([...images]).toEqual([version])
    const compose = await readFile(resolve(FOLDER, '../../docker-compose.yml'), 'utf8')
    expect(compose).toContain(`image: registry.example.com/sluice:${version}\n`)
  })

  test('scale the workers on a metric of the pipeline that a worker exports', () => {
    const [scaled] = all('ScaledObject')
    const query = scaled?.spec?.triggers?.[0]?.metadata['query'] ?? ''
    const [, metric = ''] = /\((\w+)\{namespace="sluice",pipeline="inbox"\}\)/.exec(query) ?? []
    const registry = metricsOf(new Events(), {
      counts: () => Promise.reject(new Error('not asked for')),
      backlog: async () => 0,
      paused: async () => false,
      oldestMs: async () => 0,
      lastScanAt: async () => null,
      halts: async () => [],
    })
    expect(registry.getSingleMetric(metric), query).toBeDefined()
    expect(all('Deployment').map(({ metadata }) => metadata.name)).toContain(scaled?.spec?.scaleTargetRef?.name)
    expect(Object.keys((parse(settingsFile()) as { pipelines: object }).pipelines)).toEqual(['inbox'])
  })

  test('probe and scrape the metrics port, and leave time for a graceful stop', () => {
    const { metricsPort, metricsHost } = parse(settingsFile()) as Record<string, unknown>
    expect([metricsPort, metricsHost]).toEqual([9464, '0.0.0.0'])
    for (const { spec } of templates()) {
      const [{ ports, livenessProbe, readinessProbe, resources }] = spec.containers
      expect(ports).toEqual([{ name: 'metrics', containerPort: metricsPort }])
      if (livenessProbe !== undefined) expect(livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'metrics' })
      if (readinessProbe !== undefined) expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'metrics' })
      const graceMs = SETTINGS.graceMs.schema.parse(undefined)
      expect(spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(graceMs)
      expect(resources.limits['ephemeral-storage'], spec.serviceAccountName).toBe('4Gi')
    }
    expect(all('PodMonitor')[0]?.spec?.podMetricsEndpoints).toMatchObject([{ port: 'metrics', path: '/metrics' }])
    expect(all('NetworkPolicy')[0]?.spec?.ingress?.flatMap(({ ports }) => ports)).toMatchObject([{ port: metricsPort }])
  })

  test('select existing pods', () => {
    const selectors = manifests.flatMap(({ spec }) => spec?.selector ?? spec?.podSelector ?? [])
    const spreads = templates().flatMap(({ spec }) => spec.topologySpreadConstraints ?? [])
    const wanted = [...selectors, ...spreads.map(({ labelSelector }) => labelSelector)]
    expect(wanted.length).toBeGreaterThan(5)
    for (const { matchLabels } of wanted) {
      const matches = templates().filter(({ metadata }) =>
        Object.entries(matchLabels).every(([name, value]) => metadata.labels[name] === value),
      )
      expect(matches.length, JSON.stringify(matchLabels)).toBeGreaterThan(0)
    }
    const [account] = all('ServiceAccount')
    expect(new Set(templates().map(({ spec }) => spec.serviceAccountName))).toEqual(new Set([account?.metadata.name]))
  })

  test('run existing commands on one pipeline', async () => {
    const { stdout } = await sluice(['--help'])
    const runs = templates().map(({ spec }) => spec.containers[0].args)
    expect(runs.map(([command]) => command).toSorted()).toEqual(['run', 'watch', 'work'])
    for (const [command, ...words] of runs) {
      expect(stdout).toMatch(new RegExp(`^ +${command} `, 'm'))
      expect(words).toEqual(['--pipeline', 'inbox'])
    }
  })
})
