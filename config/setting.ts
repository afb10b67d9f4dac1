import { z } from 'zod'

/** One row of the settings table: where a value may come from, what it may be, and what it means. */
export interface Setting<T> {
  /** Environment variable. The flag is the setting's name in kebab-case: `maxCredits` → `--max-credits`. */
  readonly env: string
  readonly schema: z.ZodType<T>
  /** Turns the text of a flag or a variable into what `schema` checks. */
  readonly fromText: (text: string) => unknown
  /** Shown instead of a value's name in `--help`; `null` for a flag that takes no value. */
  readonly placeholder: string | null
  readonly unit?: string
  readonly doc: string
  /**
   * Never in the settings file and never shown: it comes from the environment, or from a file that is named instead.
   * `login`: an address that is secret where it holds a password.
   */
  readonly secret?: true | 'login'
  /** The same for all pipelines of a process, so that no pipeline can have its own. */
  readonly scope?: 'process'
  /** Names a place: in the settings file it is relative to that file's folder, and `~/` is the home. */
  readonly path?: true
  /** What the settings file's JSON Schema says, where `schema` cannot say it. */
  readonly published?: z.ZodType
}

type Row = Pick<Setting<unknown>, 'env' | 'doc' | 'unit' | 'secret' | 'scope' | 'path'>

export const text = (row: Row & { readonly placeholder?: string; readonly default: string }): Setting<string> => ({
  placeholder: 'text',
  ...row,
  schema: z.string().default(row.default),
  fromText: (value) => value,
})

export const optionalText = (row: Row & { readonly placeholder?: string }): Setting<string | undefined> => ({
  placeholder: 'text',
  ...row,
  schema: z.string().min(1).optional(),
  fromText: (value) => (value === '' ? undefined : value),
})

export const flag = (row: Row & { readonly default: boolean }): Setting<boolean> => ({
  ...row,
  placeholder: null,
  schema: z.boolean().default(row.default),
  fromText: (value) => ({ true: true, '1': true, yes: true, false: false, '0': false, no: false })[value] ?? value,
})

interface Range {
  readonly min: number
  readonly max: number
}

export const whole = (row: Row & Range & { readonly default: number }): Setting<number> => ({
  ...row,
  placeholder: 'number',
  schema: z.int().min(row.min).max(row.max).default(row.default),
  fromText: numberFromText,
})

export const optionalNumber = (row: Row & Range): Setting<number | undefined> => ({
  ...row,
  placeholder: 'number',
  schema: z.number().min(row.min).max(row.max).optional(),
  fromText: numberFromText,
})

export const choice = <const T extends string>(
  row: Row & { readonly values: readonly [T, ...T[]]; readonly default: NoInfer<T> },
): Setting<T> => ({
  ...row,
  placeholder: row.values.join('|'),
  schema: z.enum(row.values).default(() => row.default),
  fromText: (value) => value,
})

/** Comma-separated in text, an array in a file. */
export const list = (row: Row & { readonly placeholder?: string }): Setting<string[]> => ({
  placeholder: 'a,b',
  ...row,
  schema: z.array(z.string().min(1)).default([]),
  fromText: itemsFromText,
})

/** Some of a few words: comma-separated in text, an array in a file. */
export const choices = <const T extends string>(
  row: Row & { readonly values: readonly [T, ...T[]] },
): Setting<T[]> => ({
  ...row,
  placeholder: row.values.join(','),
  schema: z.array(z.enum(row.values)).default([]),
  fromText: itemsFromText,
})

/** JSON in text, the same structure in a file. */
export const structure = <T>(
  row: Row & { readonly schema: z.ZodType<T>; readonly published?: z.ZodType },
): Setting<T> => ({
  ...row,
  placeholder: 'json',
  fromText: (value) => {
    try {
      return JSON.parse(value) as unknown
    } catch {
      return value
    }
  },
})

function itemsFromText(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function numberFromText(value: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
}
