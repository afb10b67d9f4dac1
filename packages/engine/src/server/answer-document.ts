import { randomUUID } from 'node:crypto'
import {
  type ParseOptions,
  creditsFor,
  type PriceModel,
  type ParsedMetadata,
  formatOf,
  isPaged,
  type Extension,
} from '@sluice/contract'
import type { ConversionPool, PoolResult } from '../children/conversion-pool.ts'
import type { ConversionTask } from '../children/conversion-task.ts'
import type { LanguageStore } from '../languages/language-store.ts'
import type { Account } from '../limits/account.ts'
import type { ConcurrencyGate } from '../limits/concurrency-gate.ts'
import { takePlace } from '../limits/places.ts'
import { insufficientCredits, noRetentionArrangement } from '../limits/refusals.ts'
import type { ModelOptions } from '../model/chat-completion.ts'
import type { TextKind } from '../text/text-kind.ts'
import { answerBody, type AnswerBody } from './answer.ts'
import { convertedOrThrow } from './conversion-outcome.ts'
import type { RequestFolder } from './work-folder.ts'

/** Shared parts of an engine for every document. */
export interface EngineParts {
  readonly pool: ConversionPool
  /** Semaphore with one place per child. */
  readonly children: ConcurrencyGate
  readonly prices: PriceModel
  readonly cacheFolder: string
  readonly languages: LanguageStore | null
  /** Codes of the languages of scans. Null for any. */
  readonly ocrLanguages: readonly string[] | null
  /** Reads hidden sheets of workbooks too. */
  readonly hiddenSheets: boolean
  readonly model: ModelOptions | null
  /** Passwords to try on encrypted PDF and Office files. */
  readonly passwords: readonly string[]
}

/** A document in memory or in its request's folder, and its origin. */
export interface ReceivedDocument {
  readonly folder: RequestFolder
  /** Null if it is in the folder. */
  readonly bytes: Buffer | null
  readonly extension: Extension
  /** Set for a page of text from scrape, whose `extension` has no meaning then. */
  readonly textKind?: TextKind | null
  readonly contentType: string | null
  /** Base of relative links. Null for an upload. */
  readonly baseUrl: string | null
  /** `sourceURL`, `url`, `statusCode` of the answer. */
  readonly origin: ParsedMetadata
  /** True if the request asks for the `sluice` field (`EXTENSIONS_HEADER`). */
  readonly extensions: boolean
  /** Warnings for the client, in `data.warning`. */
  readonly warnings: readonly string[]
}

/** Rejects a request before the server reads the document. */
function admit(account: Account, options: ParseOptions, leastCredits: number): void {
  if (options.zeroDataRetention && !account.mayZeroDataRetention) throw noRetentionArrangement()
  if (!account.credits.covers(leastCredits)) throw insufficientCredits()
}

/** Converts a document. Retries once if missing language data of the first pass was fetched. */
async function convert(
  { pool, languages }: EngineParts,
  task: ConversionTask,
  signal: AbortSignal,
): Promise<PoolResult> {
  const run = (): Promise<PoolResult> => pool.run(task, task.options.timeout, signal)
  const first = await run()
  if (languages === null || first.kind !== 'converted' || first.lackingLanguages.length === 0) return first
  return (await languages.obtain(first.lackingLanguages)) ? run() : first
}

/** Saves a PDF or an image to a file with its extension, because its parser requires one. All others read bytes. */
async function placed({
  folder,
  bytes,
  extension,
  textKind = null,
}: ReceivedDocument): Promise<Pick<ConversionTask, 'path' | 'bytes'>> {
  if (bytes === null) return { path: await folder.nameUpload(extension) }
  const needsFile = textKind === null && isPaged(extension)
  return needsFile ? { path: await folder.saveUpload(bytes, extension) } : { path: '', bytes }
}

/**
 * Converts a document and builds the answer. The price depends on the pages. It is charged once the answer is ready,
 * and a failed document costs no credits. The request's timeout starts here. Up to two thirds of it may pass in the
 * queue, and it limits the processing time of the conversion.
 */
export async function answerDocument(
  parts: EngineParts,
  account: Account,
  document: ReceivedDocument,
  options: ParseOptions,
  signal: AbortSignal,
): Promise<AnswerBody> {
  const { folder, extension, textKind = null, contentType, baseUrl, origin, extensions } = document
  const price = (pages: number | null): number => creditsFor(options, extension, pages, parts.prices)
  admit(account, options, price(null))

  using place = await takePlace([account.places, parts.children], options.timeout, signal)
  const { fieldsPath } = folder
  const { cacheFolder, model, passwords, hiddenSheets, languages, ocrLanguages } = parts
  const task = {
    ...(await placed(document)),
    extension,
    textKind,
    contentType,
    baseUrl,
    options,
    model,
    passwords,
    hiddenSheets,
    cacheFolder,
    ocr: { fetched: languages?.folder ?? null, allowed: ocrLanguages },
    extensions,
    fieldsPath,
  }
  const { fields, metadata, warnings } = convertedOrThrow(await convert(parts, task, signal), options.timeout)

  // An image has one price, also with several pages.
  const pages = extension === 'pdf' && typeof metadata.numPages === 'number' ? metadata.numPages : null
  const creditsUsed = price(pages)
  if (!account.credits.spend(creditsUsed)) throw insufficientCredits()
  account.lastSuccess = new Date().toISOString()
  const queued = place.queuedMs > 0 ? { concurrencyQueueDurationMs: place.queuedMs } : {}
  return await answerBody({
    fields: fields ?? { path: fieldsPath },
    warnings: [...document.warnings, ...warnings],
    metadata: {
      ...metadata,
      contentType: textKind === null || contentType === null ? formatOf(extension).mediaType : contentType,
      ...origin,
      scrapeId: randomUUID(),
      creditsUsed,
      concurrencyLimited: place.queuedMs > 0,
      ...queued,
    },
  })
}
