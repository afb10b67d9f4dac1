/** A file whose members are documents. */
export type ContainerKind = 'zip' | 'tar' | 'tar.gz' | 'mail' | 'mbox'

const KINDS: readonly (readonly [RegExp, ContainerKind])[] = [
  [/\.zip$/i, 'zip'],
  [/\.tar$/i, 'tar'],
  [/\.(?:tgz|tar\.gz)$/i, 'tar.gz'],
  [/\.(?:eml|msg|mht|mhtml)$/i, 'mail'],
  [/\.mbox$/i, 'mbox'],
]

const GLOBS: Readonly<Record<ContainerKind, readonly string[]>> = {
  zip: ['*.zip'],
  tar: ['*.tar'],
  'tar.gz': ['*.tar.gz', '*.tgz'],
  mail: ['*.eml', '*.msg', '*.mht', '*.mhtml'],
  mbox: ['*.mbox'],
}

/** Kinds that are always opened: their text needs no choice. The others are opened with `--archives`. */
const ALWAYS: readonly ContainerKind[] = ['mail', 'mbox']

/** Returns the kind of a container by its name; null for any other file, and for an archive without `archives`. */
export function containerKind(name: string, archives: boolean): ContainerKind | null {
  const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? null
  return kind === null || archives || ALWAYS.includes(kind) ? kind : null
}

/** Additional globs with which a source lists containers; the `include` globs then apply to members. */
export const containerGlobs = (archives: boolean): string[] =>
  Object.entries(GLOBS).flatMap(([kind, globs]) => (archives || ALWAYS.includes(kind as ContainerKind) ? globs : []))

/**
 * Separator between the key of a container and the name of its member: `2024/mail.zip!/inbox/a.pdf`. The message of a
 * mail has the key of the mail itself.
 */
export const MEMBER = '!/'
