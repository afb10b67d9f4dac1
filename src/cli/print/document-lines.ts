import type { SourceKey } from '#src/document/ids.ts'
import type { LeftOutReason } from '#src/document/skip.ts'
import { count, plural, printable, shownName } from './format.ts'

/** Maximum number of extensions shown; the rest is summed. Reasons are all shown. */
const MAX_SHOWN = 8

/** Always shown: a flag opens them. */
const ARCHIVE = /^\.(?:zip|tar|tgz|tar\.gz)$/

/** Text of a reason with its number; an extension is its text. */
const REASON_TEXTS: ReadonlyMap<string, (number: number) => string> = new Map([
  ['excluded', (number) => `${count(number)} excluded by a filter (--include, --exclude, .sluiceignore)`],
  ['hidden', (number) => `${count(number)} hidden`],
  ['system', (number) => plural(number, 'system file')],
  ['temporary', (number) => plural(number, 'unfinished download')],
  ['symlink', (number) => plural(number, 'symbolic link')],
  ['special', (number) => plural(number, 'socket or pipe')],
  ['noindex', (number) => `${plural(number, 'page')} with noindex (--ignore-robots includes them)`],
  ['canonical', (number) => `${plural(number, 'page')} with the content of their canonical address`],
  ['equal_content', (number) => `${plural(number, 'page')} with the content of another page`],
  ['text_page', (number) => `${plural(number, 'page')} in plain text or Markdown (--no-passthrough skips them)`],
  ['hard_link', (number) => `${plural(number, 'hard link')} in archives`],
  ['duplicate', (number) => `${plural(number, 'duplicate name')} in an archive`],
  ['outside', (number) => `${plural(number, 'archive member')} with a path outside the archive`],
  ['nested', (number) => `${plural(number, 'archive')} or mails inside eight others`],
  ['inline_picture', (number) => `${plural(number, 'small picture')} in mail bodies`],
  ['no extension', (number) => `${count(number)} without extension`],
])

/** `skipped 12: 5 .txt, 3 .jpg, 4 hidden`; empty if nothing was skipped. */
export function skippedLines(skipped: ReadonlyMap<string, number>): string[] {
  if (skipped.size === 0) return []
  const kinds = [...skipped].toSorted(([a, fewer], [b, more]) => more - fewer || a.localeCompare(b))
  const extensions = kinds.filter(([kind]) => !REASON_TEXTS.has(kind))
  const isShown = (kind: string, index: number): boolean => index < MAX_SHOWN || ARCHIVE.test(kind)
  const rest = extensions.filter(([kind], index) => !isShown(kind, index))
  const shown = [
    ...extensions.filter(([kind], index) => isShown(kind, index)),
    ...kinds.filter(([kind]) => REASON_TEXTS.has(kind)),
  ].map(
    ([kind, number]) =>
      REASON_TEXTS.get(kind)?.(number) ??
      `${count(number)} ${printable(kind)}${ARCHIVE.test(kind) ? ' (--archives opens them)' : ''}`,
  )
  const others = rest.length === 0 ? [] : [`${count(sum(rest))} in ${plural(rest.length, 'other format')}`]
  return [`skipped ${count(sum(kinds))}: ${[...shown, ...others].join(', ')}`]
}

const sum = (kinds: readonly (readonly [string, number])[]): number =>
  kinds.reduce((total, [, number]) => total + number, 0)

/** Maximum number of named folders per reason. */
const MAX_NAMED = 3

const LEFT_OUT_TEXTS: Readonly<Record<LeftOutReason, string>> = {
  store: 'a Sluice store',
  excluded: 'excluded by a filter (--include, --exclude, .sluiceignore)',
  unreadable: 'hidden, not readable',
}

/** `left out: out/ (a Sluice store)`: folders that were not listed, and whose files are not counted. */
export function leftOutLines(folders: ReadonlyMap<string, LeftOutReason>): string[] {
  return [...Map.groupBy(folders, ([, reason]) => reason)].map(([reason, group]) => {
    const names = group.slice(0, MAX_NAMED).map(([key]) => shownName(key))
    const more = group.length - names.length
    const others = more > 0 ? ` and ${plural(more, 'other folder')}` : ''
    return `left out: ${names.join(', ')}${others} (${LEFT_OUT_TEXTS[reason]})`
  })
}

/** Maximum number of named lost documents. */
const MAX_SHOWN_LOST = 3

/** Number of the day: each day another part of a large store's records is read (`lostRecords`). */
export const dayNumber = (): number => Math.floor(Date.now() / 86_400_000)

/** Records that the ledger lists, and that are missing or damaged in the store. `next` describes the next step. */
export function lostLine(lost: readonly SourceKey[], next: string): string {
  const shown = lost.slice(0, MAX_SHOWN_LOST).map((key) => shownName(key))
  const more = lost.length > MAX_SHOWN_LOST ? ` and ${count(lost.length - MAX_SHOWN_LOST)} more` : ''
  const have = lost.length === 1 ? 'has' : 'have'
  return `${plural(lost.length, 'document')} that the ledger lists as done ${have} no intact record in the store (${shown.join(', ')}${more}): ${next}`
}
