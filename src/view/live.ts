/** Where the pipeline of the store stands now, as Redis knows it. */
export interface LiveStatus {
  readonly source: string
  readonly counts: Readonly<Record<'pending' | 'done' | 'partial' | 'failed' | 'skipped', number>>
  readonly backlog: number
  readonly workers: number
  readonly paused: boolean
  /** What the gate is doing, in a few words. */
  readonly gate: string | null
  readonly outages: readonly { readonly dependency: string; readonly cause: string; readonly since: number }[]
}

/** A running system, or one that could run: null where no source is known for the store. */
export interface LivePipeline {
  readonly status: () => Promise<LiveStatus>
  readonly pause: () => Promise<void>
  readonly resume: () => Promise<void>
}
