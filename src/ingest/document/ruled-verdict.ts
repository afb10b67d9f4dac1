import { assertNever } from '#src/kit/assert-never.ts'
import type { Failure } from '#src/document/failure.ts'
import type { Verdict } from '#src/document/verdict.ts'
import type { Documents } from '#src/ports/output-store.ts'
import type { Suspicion } from '#src/ports/queue.ts'
import type { DocumentDeps } from './deps.ts'
import type { Work } from './work.ts'

/** A verdict after the ruling on the scope of a refusal, which may still be unknown. */
export type RuledVerdict =
  | (Exclude<Verdict, { kind: 'refused' }> & { readonly suspicion?: Suspicion })
  | {
      readonly kind: 'suspected'
      readonly failure: Failure
      readonly suspicion: Suspicion
      readonly usesAttempt: boolean
    }

/** Rules on a refusal, and notes the successes of documents in all other verdicts. */
export async function ruledVerdict(
  answered: Verdict,
  work: Pick<Work, 'job' | 'read'>,
  { run: { refusals, view }, stores }: Pick<DocumentDeps, 'run' | 'stores'>,
): Promise<RuledVerdict> {
  const { key, suspicion } = work.job
  if (isSuccess(answered)) refusals.recordSuccess()
  const verdict = await refusedAfterSuccess(answered, work, stores.documents)
  if (verdict.kind !== 'refused') return verdict
  const { cause, failure, unusable } = verdict
  const letter = await stores.deadLetters.read(key)
  const met = { suspicion, before: letter?.failure ?? null, endsAlone: view.role.kind === 'lists' }
  const ruling = refusals.rule(work.job, verdict, met)
  const kept = refusals.suspicionOf(verdict)
  switch (ruling) {
    case 'document': {
      const repeats = refusals.isBodyUnique(key, verdict) ? ({ repeats: true } as const) : {}
      return { kind: 'rejected', failure: { ...failure, ...repeats }, remedy: { kind: 'none' } }
    }
    case 'batch':
      return { kind: 'halted', cause, message: failure.message, suspicion: kept }
    case 'suspect':
      return { kind: 'suspected', failure, suspicion: kept, usesAttempt: unusable !== undefined }
    case 'attempt':
      return { kind: 'suspected', failure, suspicion: kept, usesAttempt: true }
    default:
      return assertNever(ruling)
  }
}

/** A rejection without a code may come from a proxy. */
const isSuccess = (verdict: Verdict): boolean =>
  verdict.kind === 'parsed' ||
  (verdict.kind === 'rejected' && (verdict.failure.serviceCode !== undefined || verdict.errorPage !== undefined))

/**
 * The service accepted this document before, so it is neither too large nor unprocessable. A component between client
 * and service, such as a proxy, now refuses it.
 */
async function refusedAfterSuccess(
  verdict: Verdict,
  { job: { key }, read }: Pick<Work, 'job' | 'read'>,
  documents: Pick<Documents, 'read'>,
): Promise<Verdict> {
  if (verdict.kind !== 'rejected' || verdict.errorPage !== undefined) return verdict
  const { failure } = verdict
  if (failure.serviceCode !== undefined || ![413, 422].includes(failure.httpStatus ?? 0)) return verdict
  const record = await documents.read(key)
  if (record?.contentHash !== read.contentHash) return verdict
  return { kind: 'refused', cause: 'proxy', failure: { ...failure, code: 'refused' } }
}
