import type { SettingName } from './settings.ts'

/** A value that a settings file gives. */
export interface FromFile {
  /** Checked against the table already; `undefined` where the file says `null`: as if it had never been set. */
  readonly value: unknown
  /** `sluice.yaml:12`. */
  readonly at: string
  /** `value` is the path of a file that holds the setting's value. */
  readonly namesFile?: true
}

/** What a settings file gives at one level. */
export type Layer = Readonly<Partial<Record<SettingName, FromFile>>>

/** What a settings file calls one way from a source into a store. */
export interface Pipeline {
  readonly name: string
  readonly source: string
  /** Where its source stands. */
  readonly at: string
  readonly layer: Layer
}
