import { hash as digestOf } from 'node:crypto'
import type { SourceKey } from '#src/document/ids.ts'

/*
 * Path of a document's outputs below `documents/`: the source's own tree, as far as names allow. The mapping is
 * injective: two keys never share a path, and no document's folder lies inside another's. Three rules ensure it:
 *
 * 1. Each escape starts with `%`, and a `%` of the key itself becomes `%25`. An escaped name therefore never equals
 *    another document's own name.
 * 2. A document's last segment ends in one of `EXTENSIONS_IN_PATHS` or in `%doc`. No segment above it does: its dot
 *    becomes `%2E`. `a.pdf` and `a.pdf/b.pdf` are two siblings, not one inside the other.
 * 3. A name that cannot be spelled out (too long, or ambiguous on this file system) contains the hash of the original.
 */

export interface PathRules {
  /**
   * True if the store treats names as equal that differ in case or Unicode form (macOS, Windows, some mounts). A hash
   * then disambiguates every name with anything but small ASCII letters.
   */
  readonly folds: boolean
  /** Maximum length of a path in UTF-8 bytes; a hash replaces a longer one. */
  readonly maxBytes: number
}

/** Linux allows paths of 4,096 bytes; the rest is for the store's own path and the names of the outputs. */
export const FOLDER_MAX_BYTES = 3000

/** File systems allow 255; the rest is for a suffix in folders that users sync elsewhere. */
const SEGMENT_MAX_BYTES = 240

/** Ends a document's segment without an extension of the list, so that no folder can have its name. */
const DOCUMENT_MARK = '%doc'

/**
 * Extensions that mark a document's segment. The list is part of the store's format and stays as it is: a store may
 * hold a folder of a source whose name ends in an extension of a later version (`scans.tiff/`).
 */
const EXTENSIONS_IN_PATHS: ReadonlySet<string> = new Set(
  'html htm xhtml pdf docx doc docm odt ods odp rtf xlsx xls xlsm xlsb pptx ppt pptm epub csv'.split(' '),
)

/** Path of a document's folder, with `/` between segments. No segment is empty, `.` or `..`. */
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
  const open = markedExtension(segment) === null ? escaped : `${escaped.slice(0, dot)}%2E${escaped.slice(dot + 1)}`
  return fit(open, segment, '', rules)
}

/**
 * Suffix that separates a document's segment from a folder's: its marked extension in the original spelling, else the
 * mark.
 */
function ending(segment: string): string {
  const extension = markedExtension(segment)
  return extension === null ? DOCUMENT_MARK : segment.slice(-extension.length - 1)
}

/** Returns the extension that marks a document's segment, in lower case and without its dot, else null. */
function markedExtension(name: string): string | null {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return name.includes('.') && EXTENSIONS_IN_PATHS.has(extension) ? extension : null
}

/** `escaped` is the complete segment; `end` is its required suffix. */
function fit(escaped: string, segment: string, end: string, rules: PathRules): string {
  const stem = end === '' || end === DOCUMENT_MARK ? escaped : escaped.slice(0, -end.length)
  const distinct = !rules.folds || /^[ -@[-~]*$/.test(segment)
  if (distinct && Buffer.byteLength(stem + end) <= SEGMENT_MAX_BYTES) return stem + end
  const guard = `%~${hash(segment, 32)}${end}`
  return cut(stem, SEGMENT_MAX_BYTES - guard.length) + guard
}

/** Names that Windows reserves for devices, with any suffix after the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i

/** Control characters, characters that Windows refuses in names, `%` itself, and halves of a surrogate pair. */
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

/** At most the first `bytes` bytes, and never a part of a character or of an escape. */
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

/** Hashes UTF-16 units, so a lone surrogate counts as itself. */
function hash(text: string, digits: number): string {
  return digestOf('sha256', Buffer.from(text, 'utf16le')).slice(0, digits)
}

/** True if a folder below `documents/` is a document's own: by rule 2 its name alone shows it. */
export function isDocumentFolder(name: string): boolean {
  return name.endsWith(DOCUMENT_MARK) || markedExtension(name) !== null
}

/**
 * File name of a document's dead letter. It is flat, for fast listing. It starts with the file's name, for people, and
 * its hash is unique.
 */
export function letterName(key: SourceKey): string {
  const name = key.slice(key.lastIndexOf('/') + 1)
  return `${cut(escape(name), 160)}~${keyHash(key)}.json`
}

/** Identifies a document by a short, flat and safe name. */
export function keyHash(key: SourceKey): string {
  return hash(key, 32)
}
