import { type Version, version } from './ids.ts'

/**
 * Why a file of a source is no document. The list is closed: it is a metric label and what the summary counts by.
 *
 * - `unsupported`: its name ends in no extension that a parser takes
 * - `excluded`: by `--include`, `--exclude` or a `.sluiceignore`
 * - `hidden`: it, or a folder above it, has a name that begins with a dot
 * - `system`: written by an operating system or an office program for itself: thumbnails, lock files, resource forks
 * - `temporary`: a download or an upload that is not finished
 * - `symlink`, `special`: a symbolic link; a socket, a pipe or a device
 * - `text_page`: a page of a website in plain text or Markdown, where pages are downloaded and texts are not passed through
 * - `hard_link`, `duplicate`: of an archive's members: a second name of a member, or a second member of one name
 * - `outside`: an archive's member whose name leads out of the archive: `../a.pdf`
 */
export const SKIP_REASONS = [
  'unsupported',
  'excluded',
  'hidden',
  'system',
  'temporary',
  'symlink',
  'special',
  'text_page',
  'hard_link',
  'duplicate',
  'outside',
] as const

export type SkipReason = (typeof SKIP_REASONS)[number]

/** Why a folder is not listed: its files are not counted. */
export type LeftOutReason = 'excluded' | 'store' | 'unreadable'

/** Stands in the ledger instead of a skipped file's version: it states the reason, and changes with it. */
export const skipVersion = (reason: SkipReason): Version => version(`skip:${reason}`)

/** The reason of a skipped file; null for any other version. */
export function skipReasonOf(text: Version): SkipReason | null {
  return SKIP_REASONS.find((reason) => text === skipVersion(reason)) ?? null
}

/** What a skipped file is counted under: its extension where that is the reason, `.txt`, else the reason. */
export function skipLabel(key: string, reason: SkipReason): string {
  if (reason !== 'unsupported') return reason
  const ending = /\.[^./\\\s]{1,12}$/.exec(key)?.[0]
  return ending === undefined ? 'no extension' : ending.toLowerCase()
}
