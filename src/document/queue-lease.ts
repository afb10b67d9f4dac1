/**
 * The lease of a store by a queue: processes on two Redis would each buy every document, so only those of one queue
 * write a store at a time. Each renews its own part.
 */
export interface QueueLease {
  /** Names the queue: an id that its Redis holds. */
  readonly queue: string
  /** How another process joins it, without credentials. */
  readonly join: Join
  readonly processes: readonly LeaseProcess[]
}

export type Join =
  | { readonly kind: 'redis'; readonly url: string }
  /** The private Redis whose data lie in this folder. */
  | { readonly kind: 'private'; readonly stateDir: string }

export interface LeaseProcess {
  /** Of this lease, not of the process: a process has one for each of its pipelines. */
  readonly id: string
  readonly host: string
  /** One boot and one PID namespace, in which `pid` and `start` mean something; null where that is not known. */
  readonly pidSpace: string | null
  readonly pid: number
  readonly start: string
  /** When it renewed the lease, epoch milliseconds. */
  readonly at: number
}

/** A process that did not renew the lease for so many heartbeats holds it no more. */
const BEATS = 6

export const leaseMs = (beatMs: number): number => BEATS * beatMs

export type LeaseVerdict =
  /** Never taken, given back, or all of its processes are known to be dead. */
  | { readonly kind: 'free' }
  | { readonly kind: 'own' }
  | { readonly kind: 'held'; readonly holder: LeaseProcess; readonly endsAt: number }
  /** Over by our clock. That of another machine may be wrong: it has ended when it is not renewed meanwhile either. */
  | { readonly kind: 'silent'; readonly holder: LeaseProcess }

export interface LeaseView {
  readonly queue: string
  readonly now: number
  readonly beatMs: number
  /** Ids in `processes` that are known to have ended. */
  readonly dead: ReadonlySet<string>
}

export function judgeLease(lease: QueueLease | null, { queue, now, beatMs, dead }: LeaseView): LeaseVerdict {
  if (lease === null) return { kind: 'free' }
  if (lease.queue === queue) return { kind: 'own' }
  const left = lease.processes.filter(({ id }) => !dead.has(id))
  const [holder] = left.toSorted((one, other) => other.at - one.at)
  if (holder === undefined) return { kind: 'free' }
  if (Math.abs(now - holder.at) > leaseMs(beatMs)) return { kind: 'silent', holder }
  return { kind: 'held', holder, endsAt: holder.at + leaseMs(beatMs) }
}

/** The lease as renewed by this process, without those of its queue that have ended. */
export function renewed(
  lease: QueueLease | null,
  own: LeaseProcess,
  { queue, join, now, beatMs, dead }: LeaseView & Pick<QueueLease, 'join'>,
): QueueLease {
  const others = lease?.queue === queue ? lease.processes : []
  const living = others.filter(({ id, at }) => id !== own.id && !dead.has(id) && Math.abs(now - at) <= leaseMs(beatMs))
  return { queue, join, processes: [...living, own] }
}

export const without = (lease: QueueLease, id: string): QueueLease => ({
  ...lease,
  processes: lease.processes.filter((one) => one.id !== id),
})

export const leaseJson = (lease: QueueLease): string => `${JSON.stringify(lease, null, 2)}\n`

/** Null for what is no whole lease: a damaged one keeps no queue away. */
export function parseLease(json: string): QueueLease | null {
  try {
    const value = JSON.parse(json) as Partial<QueueLease> | null
    const isWhole = typeof value?.queue === 'string' && Array.isArray(value.processes) && value.join !== undefined
    return isWhole ? (value as QueueLease) : null
  } catch {
    return null
  }
}
