import type { Settings } from '#config/settings.ts'
import type { ParseOptionsInput } from '#src/contract/options.ts'

type ParseSettings = Pick<Settings, 'mode' | 'formats' | 'pages' | 'blocks' | 'options'>

/**
 * The parse options for all documents: `--mode`, `--formats`, `--pages` and `--blocks` are shorthands, laid over what
 * `--options` says.
 */
export function parseOptionsOf({ mode, formats, pages, blocks, options }: ParseSettings): ParseOptionsInput {
  const [parser] = options.parsers ?? []
  const pdf = typeof parser === 'object' && parser !== null ? parser : {}
  return {
    ...options,
    ...(formats.length === 0 ? {} : { formats: formats.map((type) => ({ type })) }),
    parsers: [{ type: 'pdf', mode, pages, blocks, ...pdf }],
  }
}
