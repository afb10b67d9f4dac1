import { createReadStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { LimitedChild } from '../children/limited-child.ts'
import { SpooledFile } from '../children/spooled-file.ts'
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
    await using resources = new AsyncDisposableStack()
    const file = resources.use(await SpooledFile.write(message, 'message', signal, this.#folder))
    const partsPath = file.beside('parts')
    const result = await this.#child.run({ path: file.path, partsPath })
    signal.throwIfAborted()
    if (result.kind === 'ended') return { kind: 'damaged', reason: result.reason }
    switch (result.output.kind) {
      case 'mail':
        return opened(result.output, partsPath, resources.move())
      case 'not_mail':
        return { kind: 'not_mail' }
      case 'damaged':
      default:
        return { kind: 'damaged', reason: 'format' }
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#child[Symbol.asyncDispose]()
  }
}

function opened(
  { message, attachments }: Extract<MailResult, { kind: 'mail' }>,
  partsPath: string,
  resources: AsyncDisposableStack,
): UnpackedMail {
  return {
    kind: 'mail',
    message,
    attachments,
    async *read({ offset, bytes }) {
      if (bytes > 0) yield* createReadStream(partsPath, { start: offset, end: offset + bytes - 1 })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
