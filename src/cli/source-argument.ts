import type { Command } from 'commander'
import { UsageError } from './usage-error.ts'

/** The option that names a list of URLs as the source. */
export const FROM_URLS = ['--from-urls <file>', 'a list of URLs, one a line; - for standard input'] as const

/** The source that a command was given, by its argument or by `--from-urls`; undefined where it was given none. */
export function sourceOf(command: Command, source: string | undefined): string | undefined {
  const { fromUrls } = command.opts<{ fromUrls?: string }>()
  if (source !== undefined && fromUrls !== undefined) throw new UsageError('give a source or --from-urls, not both')
  const given = source ?? fromUrls
  if (given?.trim() === '')
    throw new UsageError('the name of the source is empty; was a variable of the shell not set?')
  return fromUrls === undefined ? source : `urls:${fromUrls}`
}
