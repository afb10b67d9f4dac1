import { randomUUID } from 'node:crypto'
import {
  type ParseOptions,
  creditsFor,
  type PriceModel,
  type ParsedMetadata,
  formatOf,
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

/** What every document of an engine goes through. */
export interface EngineParts {
  readonly pool: ConversionPool
  /** As many places as there are children. */
  readonly children: ConcurrencyGate
  readonly prices: PriceModel
  readonly cacheFolder: string
  readonly languages: LanguageStore | null
  /** Codes of the languages that scans may be in; null for any. */
  readonly ocrLanguages: readonly string[] | null
  /** Reads hidden sheets of workbooks too. */
  readonly hiddenSheets: boolean
  readonly model: ModelOptions | null
  /** Tried on encrypted PDF and Office files. */
  readonly passwords: readonly string[]
}

/** A document in memory or in its request's folder, and where it came from. */
export interface ReceivedDocument {
  readonly folder: RequestFolder
  /** Null where it lies in the folder. */
  readonly bytes: Buffer | null
  readonly extension: Extension
  /** Set for a page of text that scrape fetched, whose `extension` says nothing then. */
  readonly textKind?: TextKind | null
  readonly contentType: string | null
  /** What relative links are resolved against; null for an upload. */
  readonly baseUrl: string | null
  /** `sourceURL`, `url`, `statusCode` of the answer. */
  readonly origin: ParsedMetadata
  /** Whether the request asks for the `sluice` field (`EXTENSIONS_HEADER`). */
  readonly extensions: boolean
  /** What the person who asked should know; goes into `data.warning`. */
  readonly warnings: readonly string[]
}

/** What can be refused before the document is read. */
function admit(account: Account, options: ParseOptions, leastCredits: number): void {
  if (options.zeroDataRetention && !account.mayZeroDataRetention) throw noRetentionArrangement()
  if (!account.credits.covers(leastCredits)) throw insufficientCredits()
}

/** Converts a document, and once more where data of its languages could be fetched that the first pass lacked. */
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

/** The native reader of PDF files wants a file, named by its extension; all others read bytes. */
async function placed({
  folder,
  bytes,
  extension,
  textKind = null,
}: ReceivedDocument): Promise<Pick<ConversionTask, 'path' | 'bytes'>> {
  if (bytes === null) return { path: await folder.nameUpload(extension) }
  const needsFile = textKind === null && formatOf(extension).family === 'pdf'
  return needsFile ? { path: await folder.saveUpload(bytes, extension) } : { path: '', bytes }
}

/**
 * Converts a document and puts the answer together. Its price is known only afterwards, from the pages; it is taken
 * once the answer is ready, and a document that failed costs nothing. The timeout of the request counts from here: up to
 * two thirds of it for the wait for a place, and the processing time of the conversion.
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

  const pages = typeof metadata.numPages === 'number' ? metadata.numPages : null
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
