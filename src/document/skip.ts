import { type Version, version } from './ids.ts'

/**
 * Reason why a file of a source is not a document. The list is closed: it is a metric label and the key of the
 * summary's counts.
 *
 * - `unsupported`: no parser takes its extension
 * - `excluded`: by `--include`, `--exclude` or a `.sluiceignore`
 * - `hidden`: its name, or that of a folder above it, starts with a dot
 * - `system`: a file of an operating system or office program: thumbnails, lock files, resource forks,
 *   shortcuts
 * - `temporary`: an unfinished download or upload
 * - `symlink`, `special`: a symbolic link; a socket, a pipe or a device
 * - `text_page`: a page of a website in plain text or Markdown, in a run that downloads pages without passthrough of
 *   texts
 * - `noindex`: a page of a website that asks to be left out of an index
 * - `canonical`: a page of a website with the content of its canonical address, which is listed
 * - `equal_content`: a page of a website with the content of another page, which is listed
 * - `hard_link`, `duplicate`: of an archive's members: a second name of a member, or a second member of one name
 * - `outside`: an archive's member whose name leads out of the archive: `../a.pdf`
 * - `nested`: an archive or mail inside eight others
 * - `inline_picture`: a small picture that the body of a mail shows, such as a logo in a signature
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
  'noindex',
  'canonical',
  'equal_content',
  'hard_link',
  'duplicate',
  'outside',
  'nested',
  'inline_picture',
] as const

export type SkipReason = (typeof SKIP_REASONS)[number]

/** Reason why a folder is not listed: its files are not counted. */
export type LeftOutReason = 'excluded' | 'store' | 'unreadable'

/** Replaces the version of a skipped file in the ledger: it encodes the reason, and changes with it. */
export const skipVersion = (reason: SkipReason): Version => version(`skip:${reason}`)

/** Parses the reason of a skipped file; null for any other version. */
export function skipReasonOf(text: Version): SkipReason | null {
  return SKIP_REASONS.find((reason) => text === skipVersion(reason)) ?? null
}

/** Label of a skipped file in counts: its extension, `.txt`, if that is the reason, else the reason. */
export function skipLabel(key: string, reason: SkipReason): string {
  if (reason !== 'unsupported') return reason
  const ending = /\.[^./\\\s]{1,12}$/.exec(key)?.[0]
  return ending === undefined ? 'no extension' : ending.toLowerCase()
}
