export type Environment = Readonly<Record<string, string | undefined>>

/** The only reader of the environment. Imports nothing: what every command loads stays small. */
export const environment = (): Environment => process.env
