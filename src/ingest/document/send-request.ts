import type { Failure } from '#src/document/failure.ts'
import type { ReceiptId, SourceKey } from '#src/document/ids.ts'
import type { Verdict } from '#src/document/verdict.ts'
import { RequestWithdrawn } from '#src/document/request-withdrawn.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import { type ParseRequest } from '#src/ports/parser.ts'
import type { Source } from '#src/ports/source.ts'
import { type Recipe } from '#src/client/recipe.ts'
import type { Admitted } from './admit.ts'
import type { DocumentDeps, Run } from './deps.ts'
import { receiverOf } from './tiers.ts'
import { failed, later, postpone, type Unfinished } from './purchase.ts'
import type { Work } from './work.ts'

/** Delay in milliseconds of a document whose process stalled: its lease is renewed by then. */
const STALLED_DELAY_MS = 1_000

/**
 * Step 4: sends one request, with its permit and its intent. The intent is a lease. The check runs right before the
 * first byte leaves, not before the wait for a connection or the read of the document. A stalled process sends nothing,
 * because another process may have claimed the document and bought the answer.
 *
 * Resolves with the verdict on the answer, or with the next state of a document whose request did not go out
 * completely.
 */
export async function sendRequest(
  work: Work,
  recipe: Recipe,
  id: ReceiptId,
  { permit, reservation, pages }: Admitted,
  { run, stores: { source } }: Pick<DocumentDeps, 'run' | 'stores'>,
  signal: AbortSignal,
): Promise<Verdict | Unfinished> {
  const { job, tier } = work
  const { key } = job
  const receiver = receiverOf(tier)
  let isEmitted = false
  const emitSent = (): void => {
    if (!isEmitted) run.events.emit('request:sent', { key, bytes: work.read.bytes, ...receiver })
    isEmitted = true
  }
  const maySend = (): boolean => {
    if (!tier.intents.isValid(id)) return false
    emitSent()
    return true
  }
  run.events.emit('request:begun', { key, ...receiver })
  try {
    const verdict = await tier.parser.parse(
      { ...requestOf(work, recipe, pages, source), ...traced(key, run), maySend },
      signal,
    )
    // Without a connection, the request counts with its failure.
    emitSent()
    return verdict
  } catch (error) {
    const isWithdrawn = error instanceof RequestWithdrawn
    await Promise.all([
      permit.release({ kind: isWithdrawn ? 'unsent' : 'abandoned' }),
      tier.spending.conclude(reservation, isWithdrawn ? 'unsent' : 'unknown'),
    ])
    if (!isWithdrawn && !(error instanceof DocumentChanged)) throw error
    await tier.intents.clear(id)
    run.events.emit('request:withdrawn', { key })
    if (isWithdrawn) return later(postpone(STALLED_DELAY_MS, 'this process was suspended before the request'))
    const failure: Failure = { code: 'changing', stage: 'read', message: error.message }
    return failed(failure, work.attempt)
  }
}

const traced = (key: SourceKey, { traceparent }: Run): Pick<ParseRequest, 'traceparent'> => {
  const header = traceparent?.(key) ?? null
  return header === null ? {} : { traceparent: header }
}

const requestOf = (
  { job, read, extension, address, hold }: Work,
  { options }: Recipe,
  pages: number | null,
  source: Source,
): ParseRequest => ({
  contentHash: read.contentHash,
  extension,
  bytes: read.bytes,
  read: read.reread,
  options,
  pages,
  hold,
  ...(address === null ? {} : { address }),
  ...fetching(address === null ? undefined : source.fetch, job.key),
})

const fetching = (fetch: Source['fetch'], key: SourceKey): Pick<ParseRequest, 'fetch'> =>
  fetch === undefined ? {} : { fetch: (signal) => fetch(key, signal) }
