/**
 * Why a document did not come out whole. The list is closed: it is a metric label, a column of `sluice failures` and
 * what `sluice retry --code` takes. `service_rejected` keeps the service's own code in the failure's `serviceCode`;
 * `refused` is an answer that others might have met too, and none did.
 */
export const FAILURE_CODES = [
  'unsupported_type',
  'empty',
  'too_large',
  'corrupt',
  'encrypted',
  'wrong_type',
  'unreadable',
  'unreadable_name',
  'symlink_loop',
  'vanished',
  'changing',
  'service_rejected',
  'refused',
  'service_unavailable',
  'timeout',
  'bad_answer',
  'store_unwritable',
  'taken_by_other_source',
  'deadline',
  'ambiguous',
  'internal',
] as const

export type FailureCode = (typeof FAILURE_CODES)[number]

/** Where on the way of one document it ended (ARCHITECTURE.md, "Life of a document"). */
export const STAGES = ['scan', 'read', 'gate', 'parse', 'render', 'commit'] as const

export type Stage = (typeof STAGES)[number]

/** One clear sentence for a person, and the code for a machine. Never holds document text, keys or tokens. */
export interface Failure {
  readonly code: FailureCode
  readonly stage: Stage
  readonly message: string
  /** The `code` of the service's error body, when it sent one. */
  readonly serviceCode?: string
  readonly httpStatus?: number
  /** The same came for each request, so a later run sends none. */
  readonly repeats?: true
}
