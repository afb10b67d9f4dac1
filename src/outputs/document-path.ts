import { hash as digestOf } from 'node:crypto'
import { extensionOf } from '@sluice/contract'
import type { SourceKey } from '#src/document/ids.ts'

/*
 * Where a document's outputs stand below `documents/`: the source's own tree, as far as names allow. The mapping is
 * injective: two keys never share a path, and no document's folder lies inside another's. It holds because
 *
 * 1. `%` begins every change made here and a `%` of the key itself is written `%25`, so that a changed name can never
 *    be some other document's own name;
 * 2. a document's own (last) segment ends in a supported extension or in `%doc`, and no segment above it does: its dot
 *    becomes `%2E` there. `a.pdf` and `a.pdf/b.pdf` are two neighbours, not one inside the other;
 * 3. what cannot be spelled out (too long, or not distinct on this file system) carries the hash of what it stands for.
 */

export interface PathRules {
  /**
   * Whether the store takes names for equal that differ in case or Unicode form (macOS, Windows, some mounts). Names
   * with anything but small ASCII letters are made distinct by a hash then.
   */
  readonly folds: boolean
  /** Longest path in UTF-8 bytes; a longer one is replaced by its hash. */
  readonly maxBytes: number
}

/** Left for the store's own path in the 4,096 bytes that Linux allows, and for the names of the outputs. */
export const FOLDER_MAX_BYTES = 3000

/** 255 is what file systems allow; the rest is left for a suffix in folders that people sync elsewhere. */
const SEGMENT_MAX_BYTES = 240

/** Ends a document's segment that has no supported extension, so that no folder can have its name. */
const DOCUMENT_MARK = '%doc'

/** Path of a document's folder, with `/` between segments, none of them empty, `.` or `..`. */
export function documentPath(key: SourceKey, rules: PathRules): string {
  const segments = key.split('/')
  const last = segments.length - 1
  const path = segments
    .map((segment, at) => (at === last ? ofDocument(segment, rules) : ofFolder(segment, rules)))
    .join('/')
  return Buffer.byteLength(path) <= rules.maxBytes ? path : `%long/${hash(key, 64)}${ending(key)}`
}

function ofDocument(segment: string, rules: PathRules): string {
  return fit(escape(segment), segment, ending(segment), rules)
}

function ofFolder(segment: string, rules: PathRules): string {
  const escaped = escape(segment)
  const dot = escaped.lastIndexOf('.')
  const open = extensionOf(segment) === null ? escaped : `${escaped.slice(0, dot)}%2E${escaped.slice(dot + 1)}`
  return fit(open, segment, '', rules)
}

/** What distinguishes a document's segment from a folder's: its supported extension as it is spelled, else the mark. */
function ending(segment: string): string {
  const extension = extensionOf(segment)
  return extension === null ? DOCUMENT_MARK : segment.slice(-extension.length - 1)
}

/** `escaped` is the whole segment; `end` is what it must end in. */
function fit(escaped: string, segment: string, end: string, rules: PathRules): string {
  const stem = end === '' || end === DOCUMENT_MARK ? escaped : escaped.slice(0, -end.length)
  const distinct = !rules.folds || /^[ -@[-~]*$/.test(segment)
  if (distinct && Buffer.byteLength(stem + end) <= SEGMENT_MAX_BYTES) return stem + end
  const guard = `%~${hash(segment, 32)}${end}`
  return cut(stem, SEGMENT_MAX_BYTES - guard.length) + guard
}

/** Names that Windows keeps for devices, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i

/** Control characters, what Windows refuses in names, `%` itself, and halves of a surrogate pair. */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029<>:"\\|?*%]|\p{Surrogate}/gu

function escape(segment: string): string {
  if (segment === '') return '%'
  const safe = segment.replace(UNSAFE, percent)
  const whole = safe === '.' || safe === '..' ? safe.replaceAll('.', '%2E') : safe
  return whole.replace(DEVICE, (name) => percent(name[0] as string) + name.slice(1)).replace(/[. ]$/, percent)
}

function percent(character: string): string {
  if (/\p{Surrogate}/u.test(character)) return `%u${character.charCodeAt(0).toString(16).toUpperCase()}`
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}

/** The first `bytes` bytes at most, and never a part of a character or of an escape. */
function cut(text: string, bytes: number): string {
  let kept = ''
  let length = 0
  for (const piece of text.match(/%u[0-9A-F]{4}|%[0-9A-F]{2}|./gsu) ?? []) {
    length += Buffer.byteLength(piece)
    if (length > bytes) break
    kept += piece
  }
  return kept
}

/** UTF-16 units are hashed, so that a lone surrogate counts as itself. */
function hash(text: string, digits: number): string {
  return digestOf('sha256', Buffer.from(text, 'utf16le')).slice(0, digits)
}

/** Whether a folder below `documents/` is a document's own: by rule 2 its name alone shows it. */
export function isDocumentFolder(name: string): boolean {
  return name.endsWith(DOCUMENT_MARK) || extensionOf(name) !== null
}

/** Name of a document's dead letter: flat, to be listed fast; it begins with the file's name, for people, and its hash is unique. */
export function letterName(key: SourceKey): string {
  const name = key.slice(key.lastIndexOf('/') + 1)
  return `${cut(escape(name), 160)}~${keyHash(key)}.json`
}

/** Names a document where only a short, flat and safe name will do. */
export function keyHash(key: SourceKey): string {
  return hash(key, 32)
}
