import { passthroughAnswer, PASSTHROUGH } from '#src/client/passthrough.ts'
import { readAnswer } from '#src/client/read-answer.ts'
import { textKindOf } from '#src/client/texts/text-kind.ts'
import { textMarkdown } from '#src/client/texts/text-markdown.ts'
import { receiptId } from '#src/document/ids.ts'
import { decodePlainText } from '#src/document/plain-text.ts'
import { SAVED } from './costs.ts'
import type { DocumentDeps } from './deps.ts'
import { findRecorded, type Outcome } from './obtain-answer.ts'
import { isWhole } from './rederive.ts'
import type { ReadWork } from './work.ts'

/** Number of copies of a text in memory: its bytes, the string, the answer, the output. */
const COPIES = 4

/**
 * Turns a text into its own answer: no request, no permit, no credits. It has a receipt like any document, so its
 * outputs can be derived again and repaired without the source. Recreates damaged outputs or receipts.
 */
export async function passThrough(work: ReadWork, deps: DocumentDeps, signal: AbortSignal): Promise<Outcome> {
  const recorded = await findRecorded(work, deps.stores)
  if (recorded !== null && (await isWhole(recorded.record, deps.stores))) return recorded
  await work.hold.grow(work.read.bytes * COPIES, signal)
  const chunks: Buffer[] = []
  for await (const chunk of work.read.reread(signal)) chunks.push(Buffer.from(chunk))
  const form = textKindOf(work.job.key) ?? { kind: 'verbatim' }
  const { body, json } = passthroughAnswer(textMarkdown(decodePlainText(Buffer.concat(chunks)), form))
  const parser = { ...PASSTHROUGH, at: new Date(deps.run.clock.wall()).toISOString() }
  const receipt = work.recipe.options.zeroDataRetention
    ? null
    : receiptId(work.read.contentHash, work.recipe.hash, parser.class)
  if (receipt !== null) await deps.stores.receipts.save(receipt, body, parser)
  const reading = readAnswer(body, deps.run.clock.wall(), json)
  return { kind: 'parsed', answer: { reading, receipt, parser, requestId: null, cost: SAVED } }
}
