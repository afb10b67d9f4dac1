import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { LimitedChild } from '../children/limited-child.ts'
import { makeWorkFolder } from '../orphaned-folders.ts'
import type { Attachment, Range } from './mail.ts'
import type { MailResult, MailTask } from './mail-child.ts'

const CHILD_ENTRY = new URL(import.meta.url.endsWith('.ts') ? './mail-child.ts' : './mail-child.js', import.meta.url)

/** Limits of one message, in milliseconds and bytes. A message beyond them is hostile. */
const TIMEOUT_MS = 60_000
const MEMORY_BYTES = 600 * 1024 ** 2

/** The parts of a message, readable until disposal. */
export interface UnpackedMail extends AsyncDisposable {
  readonly kind: 'mail'
  /** The message as Markdown. */
  readonly message: Range
  readonly attachments: readonly Attachment[]
  read(range: Range): AsyncIterable<Uint8Array>
}

/** Reason why a message has no parts. */
export type MailProblem =
  | { readonly kind: 'not_mail' }
  /** Damaged, or the reading exceeded its limits of time or memory. */
  | { readonly kind: 'damaged'; readonly reason: 'format' | 'time' | 'memory' | 'crash' }

/**
 * Takes messages (`.eml`, `.msg`) apart in a child process, because a hostile message can exhaust time and memory. The
 * child starts with the first message.
 */
export class MailUnpacker implements AsyncDisposable {
  readonly #child = new LimitedChild<MailTask, MailResult>({
    entry: CHILD_ENTRY,
    timeoutMs: TIMEOUT_MS,
    memoryBytes: MEMORY_BYTES,
    env: {},
  })
  readonly #folder: string

  /** `folder` is the parent of the temporary folders. Default: the system's. */
  constructor(folder: string = tmpdir()) {
    this.#folder = folder
  }

  async unpack(message: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<UnpackedMail | MailProblem> {
    const folder = await makeWorkFolder(this.#folder)
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
    try {
      const path = join(folder, 'message')
      const partsPath = join(folder, 'parts')
      await pipeline(copies(message), createWriteStream(path), { signal })
      const result = await this.#child.run({ path, partsPath })
      signal.throwIfAborted()
      if (result.kind === 'done' && result.output.kind === 'mail') return opened(result.output, partsPath, remove)
      await remove()
      if (result.kind === 'ended') return { kind: 'damaged', reason: result.reason }
      return result.output.kind === 'not_mail' ? { kind: 'not_mail' } : { kind: 'damaged', reason: 'format' }
    } catch (error) {
      await remove()
      throw error
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#child[Symbol.asyncDispose]()
  }
}

/** A chunk of a source is valid only until the next one. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}

function opened(
  { message, attachments }: Extract<MailResult, { kind: 'mail' }>,
  partsPath: string,
  remove: () => Promise<void>,
): UnpackedMail {
  return {
    kind: 'mail',
    message,
    attachments,
    async *read({ offset, bytes }) {
      if (bytes > 0) yield* createReadStream(partsPath, { start: offset, end: offset + bytes - 1 })
    },
    [Symbol.asyncDispose]: remove,
  }
}
