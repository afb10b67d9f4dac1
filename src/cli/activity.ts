import type { Failure } from '#src/document/failure.ts'
import type { Events } from '#src/events.ts'

/** What a person wants to know when the count stands still: what is in flight, and what failed last. */
export interface Activity {
  /** The request that has been in flight for the longest time. */
  longest(): { readonly key: string; readonly ms: number } | null
  lastFailure(): { readonly key: string; readonly failure: Failure } | null
  /** Documents that a scan has listed so far. */
  listed(): number
}

export function activityOf(...sources: readonly Events[]): Activity {
  const inFlight = new Map<string, number>()
  let failed: ReturnType<Activity['lastFailure']> = null
  let listed = 0
  for (const events of sources) {
    events.on('document:seen', () => (listed += 1))
    events.on('request:begun', ({ key }) => inFlight.set(key, performance.now()))
    events.on('request:answered', ({ key }) => inFlight.delete(key))
    events.on('request:lost', ({ key }) => inFlight.delete(key))
    events.on('request:withdrawn', ({ key }) => inFlight.delete(key))
    events.on('document:settled', ({ key, failure }) => {
      inFlight.delete(key)
      if (failure !== null) failed = { key, failure }
    })
  }
  return {
    longest() {
      const [first] = inFlight
      return first === undefined ? null : { key: first[0], ms: performance.now() - first[1] }
    },
    lastFailure: () => failed,
    listed: () => listed,
  }
}
