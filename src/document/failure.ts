/**
 * Reason why a document is not complete. The list is closed: it is a metric label, a column of `sluice failures` and
 * the argument of `sluice retry --code`. `service_rejected` keeps the service's own code in the failure's
 * `serviceCode`. `refused` is a refusal that could concern other documents, but none of them met it.
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

/** Stage at which a document failed (ARCHITECTURE.md, "Life of a document"). */
export const STAGES = ['scan', 'read', 'gate', 'parse', 'render', 'commit'] as const

export type Stage = (typeof STAGES)[number]

/** A clear sentence for a person, and the code for a machine. It never holds document text, keys or tokens. */
export interface Failure {
  readonly code: FailureCode
  readonly stage: Stage
  readonly message: string
  /** `code` of the service's error body, if it sent one. */
  readonly serviceCode?: string
  readonly httpStatus?: number
  /** Every retry failed alike, so a later run sends no request. */
  readonly repeats?: true
}
