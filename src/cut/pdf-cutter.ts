import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pLimit from 'p-limit'
import { assertNever } from '#src/kit/assert-never.ts'
import type { Failure } from '#src/document/failure.ts'
import { MAX_FILE_BYTES } from '@sluice/contract'
import type { CutDocument, CutRequest, PieceCutter } from '#src/ports/piece-cutter.ts'
import { WHOLE_FILE } from './cut-task.ts'
import { PieceOnDisk } from './piece-on-disk.ts'
import { type ChildResult, CutChildren } from './cut-children.ts'

export interface PdfCutterOptions {
  /** Maximum size of a piece; default: the contract's limit of 50 MB. */
  readonly limitBytes?: number
  /** Temporary folder of the document and its pieces; default: the system's. */
  readonly folder?: string
  /** Maximum number of documents in pieces at the same time, which bounds the disk space; default 4. */
  readonly documents?: number
  /** Resident memory of the child process; default 512 MiB. It takes about 100 for any size of file. */
  readonly memoryBytes?: number
  /** Timeout of a cut, which takes about a second for each 50 MB on an idle machine; default 300,000. */
  readonly timeoutMs?: number
}

const MEBIBYTE = 1024 * 1024

/** Cuts PDFs with qpdf, in a child process that can be killed. */
export class PdfCutter implements PieceCutter {
  readonly limitBytes: number
  readonly #options: Required<PdfCutterOptions>
  readonly #turns: ReturnType<typeof pLimit>
  readonly #children = new CutChildren()

  constructor({
    limitBytes = MAX_FILE_BYTES,
    folder = tmpdir(),
    documents = 4,
    memoryBytes = 512 * MEBIBYTE,
    timeoutMs = 300_000,
  }: PdfCutterOptions = {}) {
    this.limitBytes = limitBytes
    this.#options = { limitBytes, folder, documents, memoryBytes, timeoutMs }
    this.#turns = pLimit(documents)
  }

  async cut(request: CutRequest, signal: AbortSignal): Promise<CutDocument | Failure> {
    await using resources = new AsyncDisposableStack()
    resources.defer(await this.#turn())
    signal.throwIfAborted()
    const folder = await mkdtemp(join(this.#options.folder, 'sluice-cut-'))
    try {
      await pipeline(request.read(signal), createWriteStream(join(folder, WHOLE_FILE)), { signal })
      const result = await this.#inChild(folder, request, signal)
      if (result.kind !== 'cut') return failureOf(result, this.limitBytes, request.lists !== undefined)
      const pieces: PieceOnDisk[] = []
      for (const piece of result.pieces) pieces.push(resources.use(await PieceOnDisk.open(folder, piece)))
      const kept = resources.move()
      const { totalPages, tooLarge } = result
      const failed = tooLarge.map(({ page, bytes }) => ({ page, failure: this.#tooLarge(page, bytes) }))
      return { kind: 'cut', totalPages, pieces, failed, [Symbol.asyncDispose]: () => kept.disposeAsync() }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** Acquires the semaphore; the function that it resolves to releases it. */
  async #turn(): Promise<() => void> {
    const began = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    void this.#turns(() => {
      began.resolve()
      return ended.promise
    })
    await began.promise
    return ended.resolve
  }

  #inChild(folder: string, request: CutRequest, signal: AbortSignal): Promise<ChildResult> {
    const { upToPage, mostPages = null, lists = null } = request
    const { limitBytes, memoryBytes, timeoutMs } = this.#options
    return this.#children.run({ folder, limitBytes, upToPage, mostPages, lists, memoryBytes }, timeoutMs, signal)
  }

  #tooLarge(page: number, bytes: number): Failure {
    return failureOf({ kind: 'page-too-large', page, bytes }, this.limitBytes, true)
  }
}

/** Converts the result of a failed cut; `isListed` distinguishes wanted pages from a document over the limit. */
function failureOf(result: Exclude<ChildResult, { kind: 'cut' }>, limitBytes: number, isListed: boolean): Failure {
  const over = `over the limit of ${megabytes(limitBytes)} MB`
  const is = isListed ? 'it' : `it is ${over} and`
  const refused = (code: Failure['code'], message: string): Failure => ({ code, stage: 'read', message })
  switch (result.kind) {
    case 'encrypted':
      return refused('encrypted', `${is} needs a password, so it cannot be cut; remove the password`)
    case 'damaged':
      return refused(
        'corrupt',
        `${is} ${isListed ? 'is damaged' : 'damaged'}, so it cannot be cut without losing pages; repair it`,
      )
    case 'page-too-large':
      return refused(
        'too_large',
        `page ${result.page} alone is ${megabytes(result.bytes)} MB, ${over}; make its pictures smaller`,
      )
    case 'out-of-time':
      return refused('too_large', `${is} could not be cut in time; split the file`)
    case 'crashed':
      return refused('too_large', `${is} could not be cut, because the process that cuts it crashed; split the file`)
    default:
      return assertNever(result)
  }
}

const megabytes = (bytes: number): string => String(Math.round((bytes / MEBIBYTE) * 10) / 10)
