import { type AnswerReading, readAnswer } from '#src/contract/read-answer.ts'
import type { Recipe } from '#src/contract/recipe.ts'
import type { Failure } from '#src/document/failure.ts'
import { receiptId } from '#src/document/ids.ts'
import type { ParserIdentity } from '#src/document/parser.ts'
import type { Verdict } from '#src/document/verdict.ts'
import type { Gate } from '#src/ports/gate.ts'
import type { Parser } from '#src/ports/parser.ts'
import type { IngestDeps } from '../deps.ts'
import type { SinglePage } from './single-page.ts'

/** The embedded engine, and the gate that its processes are behind. */
export interface LocalTier {
  readonly parser: Parser
  readonly gate: Gate
  readonly identity: ParserIdentity
}

const MOST_TRIES = 3
const RETRY_MS = 500

/** What the embedded engine makes of one page, from its receipt where this version of the engine left one. Free. */
export async function convertPage(
  page: SinglePage,
  recipe: Recipe,
  { parser, gate, identity }: LocalTier,
  { store, clock }: Pick<IngestDeps, 'store' | 'clock'>,
  signal: AbortSignal,
): Promise<AnswerReading | Failure> {
  const id = receiptId(page.read.contentHash, recipe.hash, 'embedded')
  const kept = await store.readReceipt(id)
  if (kept !== null && kept.parser?.version === identity.version) return readAnswer(kept.body, clock.wall())
  for (let attempt = 1; ; attempt += 1) {
    const verdict = await asked(page, recipe, { parser, gate, clock }, signal)
    if (verdict.kind === 'parsed') {
      const { body, json } = verdict.answer
      await store.saveReceipt(id, body, { ...identity, at: new Date(clock.wall()).toISOString() })
      return readAnswer(body, clock.wall(), json)
    }
    if (verdict.kind === 'rejected' || verdict.kind === 'refused') return verdict.failure
    if (attempt >= MOST_TRIES) return { code: 'service_unavailable', stage: 'parse', message: verdict.message }
    await clock.sleep(RETRY_MS * attempt, signal)
  }
}

async function asked(
  { key, read }: SinglePage,
  { options }: Recipe,
  { parser, gate, clock }: Pick<LocalTier, 'parser' | 'gate'> & Pick<IngestDeps, 'clock'>,
  signal: AbortSignal,
): Promise<Verdict> {
  const unready = await parser.ready(signal)
  if (unready !== null) return { kind: 'halted', cause: 'engine', message: unready }
  for (;;) {
    const admission = await gate.enter({ key, credits: 0 }, signal)
    if (admission.kind === 'halted') return { kind: 'halted', cause: admission.cause, message: admission.message }
    if (admission.kind === 'wait') {
      await clock.sleep(admission.waitMs, signal)
      continue
    }
    const { contentHash, bytes, reread } = read
    const begunMs = clock.monotonic()
    try {
      const verdict = await parser.parse(
        { contentHash, extension: 'pdf', bytes, pages: 1, read: reread, options },
        signal,
      )
      await gate.leave(admission.permit, { verdict, durationMs: clock.monotonic() - begunMs, credits: 0 })
      return verdict
    } catch (error) {
      await gate.leave(admission.permit, { verdict: 'abandoned' })
      throw error
    }
  }
}
