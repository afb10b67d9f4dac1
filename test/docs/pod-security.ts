/** Fields that the "restricted" profile checks (https://kubernetes.io/docs/concepts/security/pod-security-standards/). */
export interface PodSpec {
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly securityContext?: PodSecurity
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly ephemeralContainers?: readonly Container[]
  readonly volumes?: readonly Readonly<Record<string, unknown>>[]
}

interface PodSecurity {
  readonly runAsNonRoot?: boolean
  readonly runAsUser?: number
  readonly seccompProfile?: { readonly type: string }
  readonly sysctls?: readonly unknown[]
  readonly seLinuxOptions?: object
  readonly appArmorProfile?: { readonly type: string }
  readonly windowsOptions?: { readonly hostProcess?: boolean }
}

interface Container {
  readonly name: string
  readonly ports?: readonly { readonly containerPort?: number; readonly hostPort?: number }[]
  readonly securityContext?: PodSecurity & {
    readonly privileged?: boolean
    readonly allowPrivilegeEscalation?: boolean
    readonly procMount?: string
    readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] }
  }
}

const VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
]

/** What of a pod the "restricted" profile refuses. Stricter in one point: no system control is let through. */
export function restrictedProblems(pod: PodSpec): string[] {
  const { containers, initContainers = [], ephemeralContainers = [], volumes = [] } = pod
  return [
    ...(['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => pod[name] === true),
    ...volumes.flatMap(({ name, ...kinds }) =>
      Object.keys(kinds)
        .filter((kind) => !VOLUMES.includes(kind))
        .map((kind) => `volume ${String(name)}: ${kind}`),
    ),
    ...ofEither(pod.securityContext, 'pod'),
    ...[...containers, ...initContainers, ...ephemeralContainers].flatMap((container) =>
      ofContainer(container, pod.securityContext).map((problem) => `container ${container.name}: ${problem}`),
    ),
  ]
}

function ofContainer({ ports = [], securityContext: own = {} }: Container, ofPod: PodSecurity = {}): string[] {
  const { capabilities = {} } = own
  const problems: readonly (readonly [boolean, string])[] = [
    [ports.some(({ hostPort = 0 }) => hostPort !== 0), 'hostPort'],
    [own.privileged === true, 'privileged'],
    [own.allowPrivilegeEscalation !== false, 'allowPrivilegeEscalation is not false'],
    [(own.procMount ?? 'Default') !== 'Default', 'procMount'],
    [capabilities.drop?.includes('ALL') !== true, 'capabilities are not dropped'],
    [(capabilities.add ?? []).some((name) => name !== 'NET_BIND_SERVICE'), 'capabilities are added'],
    [(own.runAsNonRoot ?? ofPod.runAsNonRoot) !== true, 'runAsNonRoot is not true'],
    [(own.runAsUser ?? ofPod.runAsUser) === 0, 'runs as root'],
    [
      !['RuntimeDefault', 'Localhost'].includes((own.seccompProfile ?? ofPod.seccompProfile)?.type ?? ''),
      'seccompProfile',
    ],
  ]
  return [...problems.filter(([wrong]) => wrong).map(([, problem]) => problem), ...ofEither(own, '')]
}

/** What may stand at a pod or at a container. */
function ofEither(context: PodSecurity = {}, where: string): string[] {
  const problems: readonly (readonly [boolean, string])[] = [
    [(context.sysctls ?? []).length > 0, 'sysctls'],
    [context.seLinuxOptions !== undefined, 'seLinuxOptions'],
    [context.appArmorProfile?.type === 'Unconfined', 'appArmorProfile'],
    [context.windowsOptions?.hostProcess === true, 'hostProcess'],
  ]
  return problems.filter(([wrong]) => wrong).map(([, problem]) => `${where} ${problem}`.trim())
}
