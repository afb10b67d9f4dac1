import { isUtf8 } from 'node:buffer'
import type { Failure, FailureCode } from '#src/document/failure.ts'
import { sourceKey } from '#src/document/ids.ts'
import type { SourceItem } from '#src/document/source-item.ts'

export function unusable(key: string, failure: Failure): SourceItem {
  return { kind: 'unusable', key: sourceKey(key), failure }
}

export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return typeof code === 'string' ? code : undefined
}

/**
 * Converts an error of the file system into the failure of one document. Null if the error concerns the environment
 * (the disk, the network mount, too many open files), and the caller must rethrow it.
 */
export function failureOf(error: unknown, key: string, stage: 'scan' | 'read'): Failure | null {
  const reason = REASONS.get(errorCode(error) ?? '')
  if (reason === undefined) return null
  const [code, text] = reason
  return { code, stage, message: `${JSON.stringify(key)} ${text}` }
}

const REASONS: ReadonlyMap<string, readonly [FailureCode, string]> = new Map([
  ['EACCES', ['unreadable', 'cannot be read: permission denied. Give this user the right to read it.']],
  ['EPERM', ['unreadable', 'cannot be read: the system does not permit it. Give this user the right to read it.']],
  ['ENOENT', ['vanished', 'is no longer there.']],
  ['ENOTDIR', ['vanished', 'is no longer there: a folder on the way to it became a file.']],
  ['EISDIR', ['vanished', 'is no longer a file: there is a folder of that name now.']],
  ['ELOOP', ['symlink_loop', 'is a symbolic link that leads back to itself. Remove or mend it.']],
  ['ENAMETOOLONG', ['unreadable_name', 'has a name that is too long for the file system.']],
])

/**
 * Text for a name that is not UTF-8, for display only. Bytes beyond ASCII, and `%`, become `%XX`, so that two such
 * names always differ.
 */
export function showName(name: Buffer): string {
  let shown = ''
  for (const byte of name) {
    shown += byte < 0x80 && byte !== 0x25 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`
  }
  return shown
}

export function isText(name: Buffer): boolean {
  return isUtf8(name)
}
