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
export function schemaProblems(manifest: { readonly apiVersion: string; readonly kind: string }): string[] {
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
