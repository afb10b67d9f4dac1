import { z } from 'zod'
import { DURATION, durationText, millisecondsOf } from './duration.ts'

/** A row of the settings table: sources of the value, its schema and its meaning. */
export interface Setting<T> {
  /** Environment variable. The flag is the setting's name in kebab-case: `maxCredits` → `--max-credits`. */
  readonly env: string
  readonly schema: z.ZodType<T>
  /** Parses the text of a flag or a variable for `schema`. */
  readonly fromText: (text: string) => unknown
  /** Placeholder of the value in `--help`; `null` for a flag without a value. */
  readonly placeholder: string | null
  readonly unit?: string
  /** A duration: its name ends in `Ms`, its flag does not. */
  readonly duration?: true
  /** A list: its flag is repeatable, and the values of all its flags add up. */
  readonly repeatable?: true
  /** A line of `--help`: at most 80 characters, with its unit. */
  readonly doc: string
  /** Help of the `--no-…` flag, if it is more than `do not` and `doc`. */
  readonly negated?: string
  /** A command with many settings lists it in `--help`, and the others in `--help --all`. */
  readonly common?: true
  /** Description of a computed default. */
  readonly standard?: string
  /**
   * A secret comes from the environment or from a named file, never from the settings file, and output redacts it.
   * `login`: an address that is a secret if it holds a password.
   */
  readonly secret?: true | 'login'
  /** All pipelines of a process share the value; a pipeline cannot override it. */
  readonly scope?: 'process'
  /** A path or address: in the settings file it is relative to the file's folder; `~/` is the home. */
  readonly path?: true
  /** Schema for the JSON Schema of the settings file, if `schema` cannot express it. */
  readonly published?: z.ZodType
}

/** A row as the table has it: `env` is present only if it does not follow from the name. */
type Row<T> = Omit<Setting<T>, 'env'> & Partial<Pick<Setting<T>, 'env'>>

type Given = Pick<Row<unknown>, 'env' | 'doc' | 'common' | 'standard' | 'unit' | 'secret' | 'scope' | 'path'>

/** `maxCredits` → `SLUICE_MAX_CREDITS`. */
export const variableOf = (name: string): string => `SLUICE_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`

/** Fills in the variable that follows from the name of each row. */
export function withVariables<Rows extends Readonly<Record<string, Row<unknown>>>>(rows: Rows) {
  const named = Object.entries(rows).map(([name, row]) => [name, { env: variableOf(name), ...row }])
  return Object.fromEntries(named) as { readonly [Name in keyof Rows]: Rows[Name] & Pick<Setting<unknown>, 'env'> }
}

export const text = (row: Given & { readonly placeholder?: string; readonly default: string }): Row<string> => ({
  placeholder: 'text',
  ...row,
  schema: z.string().default(row.default),
  fromText: (value) => value,
})

export const optionalText = (row: Given & { readonly placeholder?: string }): Row<string | undefined> => ({
  placeholder: 'text',
  ...row,
  schema: z.string().min(1).optional(),
  fromText: (value) => (value === '' ? undefined : value),
})

/** Text that a function validates: it returns the problem, or null. */
export const checkedText = (
  row: Given & { readonly placeholder: string; readonly problem: (text: string) => string | null },
): Row<string | undefined> => ({
  ...row,
  schema: z
    .string()
    .min(1)
    .check(({ value, issues }) => {
      const message = row.problem(value)
      if (message !== null) issues.push({ code: 'custom', message, input: value })
    })
    .optional(),
  fromText: (value) => (value === '' ? undefined : value),
})

/** An address with one of these protocols. The error message shows `example`. */
export const address = (
  row: Given & {
    readonly protocols: readonly string[]
    readonly example: string
    /** Accepts a value that is not a URL. */
    readonly also?: (text: string) => boolean
    /** Normalizes the address. */
    readonly tidy?: (address: string) => string
  },
): Row<string | undefined> => ({
  placeholder: 'url',
  ...row,
  schema: z
    .string()
    .min(1)
    .refine((given) => row.also?.(given) === true || isAddress(given, row.protocols), {
      error: `an address such as ${row.example} is needed`,
    })
    .overwrite((given) => row.tidy?.(given) ?? given)
    .optional(),
  fromText: (value) => (value === '' ? undefined : value),
})

/** Base address of a service of `/v2/parse`; its documentation may give it with that path. */
export const withoutVersion = (url: string): string => url.replace(/(?<!\/)\/v2(?:\/parse)?\/*$/, '')

export const isAddress = (given: string, protocols: readonly string[]): boolean => {
  const url = URL.parse(given)
  return url !== null && protocols.includes(url.protocol.slice(0, -1)) && url.host !== ''
}

interface Duration extends Range {
  readonly default: number
}

const NO_DURATION = 'a duration such as 90s, 10m, 12h or 7d is needed, or milliseconds'
const toMilliseconds = (value: unknown): unknown =>
  typeof value === 'string' ? (millisecondsOf(value) ?? value) : value
const durationWithin = ({ min, max }: Range) =>
  z
    .int(NO_DURATION)
    .min(min, `it must be ${durationText(min)} or more`)
    .max(max, `it must be ${durationText(max)} or less`)
const publishedDuration = ({ min, max }: Range) => z.union([z.int().min(min).max(max), z.string().regex(DURATION)])

/** `10m`, `7d`, or a number of milliseconds, the unit of min, max and default. */
export const duration = (row: Given & Duration): Row<number> => ({
  ...row,
  placeholder: 'duration',
  duration: true,
  schema: z.preprocess(toMilliseconds, durationWithin(row).default(row.default)),
  published: publishedDuration(row).default(row.default),
  // The schema converts it, so that a message shows the typed text.
  fromText: (value) => value,
})

export const optionalDuration = (row: Given & Range): Row<number | undefined> => ({
  ...row,
  placeholder: 'duration',
  duration: true,
  schema: z.preprocess(toMilliseconds, durationWithin(row).optional()),
  published: publishedDuration(row).optional(),
  // The schema converts it, so that a message shows the typed text.
  fromText: (value) => value,
})

export const flag = (row: Given & { readonly default?: true; readonly negated?: string }): Row<boolean> => ({
  ...row,
  placeholder: null,
  schema: z.boolean().default(row.default ?? false),
  fromText: (value) => ({ true: true, '1': true, yes: true, false: false, '0': false, no: false })[value] ?? value,
})

interface Range {
  readonly min: number
  readonly max: number
}

export const integer = (row: Given & Range & { readonly default: number }): Row<number> => ({
  ...row,
  placeholder: 'number',
  schema: z.int().min(row.min).max(row.max).default(row.default),
  fromText: numberFromText,
})

export const optionalNumber = (row: Given & Range): Row<number | undefined> => ({
  ...row,
  placeholder: 'number',
  schema: z.number().min(row.min).max(row.max).optional(),
  fromText: numberFromText,
})

export const choice = <const T extends string>(
  row: Given & { readonly values: readonly [T, ...T[]]; readonly default: NoInfer<T> },
): Row<T> => ({
  ...row,
  placeholder: row.values.join('|'),
  schema: z.enum(row.values).default(() => row.default),
  fromText: (value) => value,
})

/** Comma-separated in text, an array in a file. */
export const list = (row: Given & { readonly placeholder?: string }): Row<string[]> => ({
  placeholder: 'a,b',
  repeatable: true,
  ...row,
  schema: z.array(z.string().min(1)).default([]),
  fromText: itemsFromText,
})

/** A list of globs on keys, split at commas outside braces. `item` validates each. */
export const globs = (row: Given, item: z.ZodType<string>): Row<string[]> => ({
  ...list({ placeholder: 'globs', ...row }),
  schema: z.array(item).default([]),
  fromText: globsFromText,
})

/** Some of a few words: comma-separated in text, an array in a file. */
export const choices = <const T extends string>(row: Given & { readonly values: readonly [T, ...T[]] }): Row<T[]> => ({
  ...row,
  placeholder: row.values.join(','),
  repeatable: true,
  schema: z.array(z.enum(row.values)).default([]),
  fromText: itemsFromText,
})

/** JSON in text, the same structure in a file. */
export const structure = <T>(
  row: Given & { readonly schema: z.ZodType<T>; readonly published?: z.ZodType },
): Row<T> => ({
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

function globsFromText(value: string): string[] {
  const found = ['']
  let depth = 0
  for (const letter of value) {
    if (letter === '{') depth += 1
    if (letter === '}') depth -= 1
    if (letter === ',' && depth <= 0) found.push('')
    else found[found.length - 1] += letter
  }
  return found.map((glob) => glob.trim()).filter((glob) => glob !== '')
}

function numberFromText(value: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
}
