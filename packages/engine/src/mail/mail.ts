import { closeSync, openSync, readSync, writeSync } from 'node:fs'

/** A message whose text parts are Markdown and whose attachments are in the parts file. */
export interface Mail {
  /** Decoded headers in the order of display; absent headers are omitted. */
  readonly headers: readonly MailHeader[]
  readonly subject: string
  /** Markdown. */
  readonly body: string
  readonly attachments: readonly Attachment[]
  /** Remarks on content that the body lacks: an encrypted part, an unreadable winmail.dat. */
  readonly notes: readonly string[]
}

export interface MailHeader {
  readonly name: string
  readonly value: string
}

/** Reason to leave a part of a message out: a small picture that the HTML body shows, such as a logo in a signature. */
export type PartSkip = 'inline_picture'

/** A part of a message, as a range of the parts file in bytes. */
export interface Attachment extends Range {
  /** Position in the message and file name: `3-report.pdf`. */
  readonly name: string
  readonly skip: PartSkip | null
}

export interface Range {
  readonly offset: number
  readonly bytes: number
}

/** The parts of one message in one file, one after another. Synchronous, because it runs in a child process. */
export class PartsFile implements Disposable {
  readonly #descriptor: number
  length = 0

  constructor(path: string) {
    this.#descriptor = openSync(path, 'w+', 0o600)
  }

  append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      at += writeSync(this.#descriptor, bytes, at, bytes.length - at, this.length + at)
    }
    this.length += bytes.length
  }

  add(bytes: Uint8Array): Range {
    const offset = this.length
    this.append(bytes)
    return { offset, bytes: bytes.length }
  }

  read({ offset, bytes }: Range): Buffer {
    const read = Buffer.alloc(bytes)
    readSync(this.#descriptor, read, 0, bytes, offset)
    return read
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor)
  }
}

/** Threshold in bytes of a picture that the body shows. A smaller one is a logo, an icon or a tracking pixel. */
const INLINE_PICTURE_BYTES = 32 * 1024

/** Decides on a picture with a Content-ID: `shown` holds the ids and addresses that the HTML bodies refer to. */
export function skipOfPart(
  part: { readonly mediaType: string; readonly ids: readonly string[]; readonly bytes: number },
  shown: ReadonlySet<string>,
): PartSkip | null {
  if (!part.mediaType.startsWith('image/') || part.bytes >= INLINE_PICTURE_BYTES) return null
  return part.ids.some((id) => shown.has(id)) ? 'inline_picture' : null
}

/** Ids and addresses of the pictures in an HTML body: `cid:a@b` gives `a@b`. */
export function shownIn(html: string): string[] {
  return [...html.matchAll(/\bsrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi)].map(([, a, b, c]) =>
    decoded((a ?? b ?? c ?? '').replace(/^cid:/i, '')),
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
