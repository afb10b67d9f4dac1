export type Environment = Readonly<Record<string, string | undefined>>

/** The only place that the environment is read from. Imports nothing: what every command loads stays small. */
export const environment = (): Environment => process.env
