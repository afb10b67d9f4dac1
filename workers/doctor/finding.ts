/** Result of one check of `sluice doctor`. */
export interface DoctorFinding {
  /** `warning`: works, with a named risk or limit. */
  readonly level: 'ok' | 'warning' | 'problem'
  readonly subject: 'machine' | 'redis' | 'store' | 'service' | 'converters'
  readonly message: string
  /** Remedy for the operator; null if nothing is wrong. */
  readonly remedy: string | null
}

type Check = (subject: DoctorFinding['subject'], message: string, remedy?: string) => DoctorFinding

export const ok: Check = (subject, message) => ({ level: 'ok', subject, message, remedy: null })
export const warning: Check = (subject, message, remedy = '') => ({ level: 'warning', subject, message, remedy })
export const problem: Check = (subject, message, remedy = '') => ({ level: 'problem', subject, message, remedy })
