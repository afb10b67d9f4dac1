export type Environment = Readonly<Record<string, string | undefined>>

/** The only reader of the environment. It imports nothing, because every command loads it. */
export const environment = (): Environment => process.env

/**
 * True if the launcher started with SIGHUP ignored, as under `nohup`. Node resets that, so the launcher passes it in a
 * variable.
 */
export const ignoresHangUp = (): boolean => environment()['SLUICE_HANG_UP'] === 'ignored'
