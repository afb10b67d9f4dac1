/** Events that a receiver outside may ask for (`--notify-events`). */
export const NOTICES = ['run.ended', 'run.halted', 'document.failed', 'document.changed'] as const

export type Notice = (typeof NOTICES)[number]

/** Notices of a receiver that names none. */
export const DEFAULT_NOTICES: readonly Notice[] = ['run.ended', 'run.halted']
