/**
 * Lease of a store by a queue. Processes on two Redis servers would each buy every document, so only the processes of
 * one queue write a store at a time. Each process renews its own part.
 */
export interface QueueLease {
  /** Id of the queue, stored in its Redis. */
  readonly queue: string
  /** Instructions for another process to join it, without credentials. */
  readonly join: Join
  readonly processes: readonly LeaseProcess[]
}

export type Join =
  | { readonly kind: 'redis'; readonly url: string }
  /** The private Redis with its data in this folder. */
  | { readonly kind: 'private'; readonly stateDir: string }

export interface LeaseProcess {
  /** Id of this lease, not of the process: a process has a lease per pipeline. */
  readonly id: string
  readonly host: string
  /** Id of the boot and PID namespace in which `pid` and `start` are valid; null if unknown. */
  readonly pidSpace: string | null
  readonly pid: number
  readonly start: string
  /** Time of its last renewal, epoch milliseconds. */
  readonly at: number
}

/** A process loses the lease after this number of missed heartbeats. */
const BEATS = 6

export const leaseMs = (beatMs: number): number => BEATS * beatMs

export type LeaseVerdict =
  /** Never taken, released, or all of its processes are known to be dead. */
  | { readonly kind: 'free' }
  | { readonly kind: 'own' }
  | { readonly kind: 'held'; readonly holder: LeaseProcess; readonly endsAt: number }
  /** Expired by our clock. The clock of another machine may be wrong, so the lease ends only if no renewal follows. */
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

/** Renews the lease for this process, and drops ended processes of its queue. */
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

/** Parses a lease; null if it is damaged. A damaged lease blocks no queue. */
export function parseLease(json: string): QueueLease | null {
  try {
    const value = JSON.parse(json) as Partial<QueueLease> | null
    const isWhole = typeof value?.queue === 'string' && Array.isArray(value.processes) && value.join !== undefined
    return isWhole ? (value as QueueLease) : null
  } catch {
    return null
  }
}
