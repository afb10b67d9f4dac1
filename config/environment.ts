export type Environment = Readonly<Record<string, string | undefined>>

/** The only reader of the environment. Imports nothing: what every command loads stays small. */
export const environment = (): Environment => process.env

/** The launcher was started with SIGHUP ignored, as `nohup` does; Node takes that back, so the launcher hands it on. */
export const ignoresHangUp = (): boolean => environment()['SLUICE_HANG_UP'] === 'ignored'
