/*
 * The state of the control law, as lua/law-state.lua makes it and Redis keeps it (MessagePack in the field `law` of the
 * gate's hash). A test holds this type against the Lua. Times are milliseconds of Redis's clock, rates are requests a
 * millisecond, sequence numbers count requests in the order of sending; lua/law-state.lua says what each field is.
 */
export interface LawState {
  readonly phase: 'open' | 'paused' | 'outage'
  /** Of the probes for the knee. */
  readonly mode: 'hold' | 'try'
  readonly version: number
  /** How much shorter every pause is than with a window of a minute. */
  readonly scale: number
  readonly seq: number
  readonly done: number
  readonly accepted: number
  readonly refusals: number
  readonly refusal_ms: number
  readonly sent_at: number
  readonly pending: number
  readonly score: number
  readonly noise: number
  readonly refused_seq: number
  readonly burst_from: number
  readonly burst_refused: number
  readonly burst_sent: number
  readonly dismissed_at: number
  readonly ring_at: number
  readonly ring_ms: number
  readonly opened_at: number
  readonly opened_accepted: number
  readonly closed_at: number
  readonly probe_at: number
  readonly tries: number
  readonly pauses: number
  readonly fails: number
  readonly kept: number
  readonly broken: number
  readonly full_at: number
  readonly votes_rate: number
  readonly votes_places: number
  readonly due: number
  readonly margin: number
  readonly confidence: number
  readonly short_cycles: number
  readonly trial: number
  readonly trial_at_close: number
  readonly trial_share: number
  readonly step: number
  readonly hold: number
  readonly since: number
  readonly level_n: number
  readonly level_refused: number
  readonly level_at: number
  readonly tested_seq: number
  readonly places: number
  readonly places_last: number
  readonly places_at: number
  readonly carried: number
  readonly places_step: number
  readonly hold_places: number
  readonly agree: number
  readonly held: number
  readonly block_seq: number
  readonly block_n: number
  readonly block_sum: number
  readonly hold_mean: number
  readonly hold_n: number
  readonly patience: number
  readonly stride: number
  readonly spread: number
  readonly spread_n: number
  readonly base: number
  readonly base_n: number
  readonly slowing: number
  readonly slow_n: number
  readonly slow_knee: number
  readonly cohort_from: number
  readonly cohort_size: number
  readonly cohort_done: number
  readonly cohort_lost: number
  readonly verified: number
  readonly least_size: number
  readonly vague: boolean
  readonly stated_new: boolean
  readonly stated_exact: boolean
  readonly places_known: boolean
  readonly places_measures: boolean
  readonly full: boolean
  readonly upwards: boolean
  readonly growth_waits: boolean
  readonly doubted: boolean
  readonly ring: readonly number[]
  readonly level_count: readonly number[]
  readonly level_sum: readonly number[]
  readonly level_at_n: readonly number[]

  // Absent until known: measurements, what the service states of its limit (`stated`) and in Retry-After (`told`), the probe that is out.
  readonly bad_at?: number
  readonly cap_window?: number
  readonly cohort_level?: number
  readonly cohort_mid_at?: number
  readonly delivery?: number
  readonly factor?: number
  readonly late?: number
  readonly least_ms?: number
  readonly outage_at?: number
  readonly pause?: number
  readonly places_cap?: number
  readonly probe?: number
  readonly probe_ahead?: number
  readonly probe_sent_at?: number
  readonly rate?: number
  readonly rate_cap?: number
  readonly restrained?: number
  readonly service_ms?: number
  readonly slope?: number
  readonly stated?: number
  readonly test_cut?: number
  readonly ignored?: boolean
  readonly test_n?: number
  readonly test_rate?: number
  readonly test_share?: number
  readonly told?: number
  readonly window?: number
  readonly work_ms?: number
  readonly told_whole?: boolean
}
