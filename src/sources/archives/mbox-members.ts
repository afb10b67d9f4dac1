import { createHash } from 'node:crypto'
import type { TempFile } from '../temp-file.ts'
import type { PackedMember } from './packed-member.ts'

const CHUNK_BYTES = 256 * 1024
const FROM = Buffer.from('From ')
const NEWLINE = 0x0a

/** Separator of an mbox file (RFC 4155): sender and date. Text that starts a line with `From` has no time and year. */
const SEPARATOR = /^From \S*.*\d{1,2}:\d{2}.*\b\d{4}\b/
const MAX_SEPARATOR = 500

/**
 * Streams the messages of an mbox file. The name of a message is its date and the digest of its bytes, so that messages
 * which a mail program inserts or removes change no other name.
 */
export async function* mboxMembers(packed: TempFile, signal: AbortSignal): AsyncGenerator<PackedMember> {
  for await (const { from, to } of messagesOf(packed, signal)) {
    const open = (): AsyncIterable<Uint8Array> => unquoted(packed.read(from, to - from, signal))
    const digest = createHash('sha256')
    let head = ''
    for await (const chunk of open()) {
      digest.update(chunk)
      if (head.length < CHUNK_BYTES) head += Buffer.from(chunk).toString('latin1')
    }
    const name = `${dayOf(head)}${digest.digest('hex').slice(0, 12)}.eml`
    yield { name, skip: null, open: async () => open() }
  }
}

/** `2024-03-05-`, from the header; empty without a readable date. */
function dayOf(head: string): string {
  const end = /\r?\n\r?\n/.exec(head)?.index ?? head.length
  const at = Date.parse(/^Date:[ \t]*(.+)$/im.exec(head.slice(0, end))?.[1]?.replace(/\([^)]*\)/, '') ?? '')
  return Number.isNaN(at) ? '' : `${new Date(at).toISOString().slice(0, 10)}-`
}

/** Ranges of the messages in bytes, each without its separator line. */
async function* messagesOf(
  packed: TempFile,
  signal: AbortSignal,
): AsyncGenerator<{ readonly from: number; readonly to: number }> {
  let from: number | null = null
  for await (const { start, next } of separatorsOf(packed, signal)) {
    if (from !== null && start > from) yield { from, to: start }
    from = next
  }
  if (from !== null && packed.length > from) yield { from, to: packed.length }
}

/** Offsets of the separator lines: `start` of the line, and `next` of the line below. */
async function* separatorsOf(
  packed: TempFile,
  signal: AbortSignal,
): AsyncGenerator<{ readonly start: number; readonly next: number }> {
  let window = Buffer.alloc(0)
  let offset = 0
  const isLineStart = (at: number): boolean => (at === 0 ? offset === 0 : window[at - 1] === NEWLINE)
  for await (const chunk of packed.read(0, packed.length, signal)) {
    window = Buffer.concat([window, chunk])
    const isLast = offset + window.length === packed.length
    // A later chunk completes a separator at the end of the window.
    const limit = isLast ? window.length : window.length - MAX_SEPARATOR
    let at = window.indexOf(FROM)
    for (; at >= 0 && at < limit; at = window.indexOf(FROM, at + 1)) {
      const end = window.indexOf(NEWLINE, at)
      const line = window
        .subarray(at, end < 0 ? undefined : end)
        .subarray(0, MAX_SEPARATOR)
        .toString('latin1')
      if (!isLineStart(at) || !SEPARATOR.test(line)) continue
      yield { start: offset + at, next: end < 0 ? packed.length : offset + end + 1 }
    }
    // Keeps one byte before the rest: it shows whether the rest starts a line.
    const kept = at < 0 ? Math.max(0, window.length - FROM.length) : Math.max(0, at - 1)
    offset += kept
    window = window.subarray(kept)
  }
}

/** Removes one `>` from each line that starts with `>From `, `>>From ` (the mboxrd format). */
async function* unquoted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const text = Buffer.concat([rest, chunk])
    const end = text.length > CHUNK_BYTES * 4 ? text.length : text.lastIndexOf(NEWLINE) + 1
    rest = text.subarray(end)
    if (end > 0) yield unquote(text.subarray(0, end))
  }
  if (rest.length > 0) yield unquote(rest)
}

function unquote(bytes: Buffer): Buffer {
  if (!bytes.includes('>From ')) return Buffer.from(bytes)
  return Buffer.from(bytes.toString('latin1').replace(/^>(>*From )/gm, '$1'), 'latin1')
}
