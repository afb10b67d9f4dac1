import { setTimeout as sleep } from 'node:timers/promises'
import type { S3Client } from '@aws-sdk/client-s3'
import type { ListingPage } from '#src/s3/listing-page.ts'
import { isTransientError } from './listing-errors.ts'
import { listPage, type PageRequest } from './page.ts'

export interface Patience {
  /** Maximum duration of retries for a page after an earlier page succeeded. Default 60,000. */
  readonly forMs?: number
  /** Timeout of one request for a page, including the SDK's own retries. Default 60,000. */
  readonly answerMs?: number
}

interface PatientOptions {
  readonly client: S3Client
  readonly bucket: string
  readonly patience?: Patience
}

const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 5_000

/**
 * Requests the pages of a listing with retries. A million objects are a thousand requests, which take minutes. If a
 * store fails after its first page, this class retries the failed page. A restart of the store therefore does not end
 * the run. A failure before the first page is more likely a mistake in the settings, and throws at once.
 */
export class RetryingPages {
  readonly #options: PatientOptions
  readonly #signal: AbortSignal
  #answered = false

  constructor(options: PatientOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
  }

  /** @throws the last error of the store, if it did not recover in time or a retry cannot help */
  async ask(request: Omit<PageRequest, 'bucket'>): Promise<ListingPage> {
    const { forMs = 60_000 } = this.#options.patience ?? {}
    let givesUpAt = Infinity
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        const page = await this.#once(request)
        this.#answered = true
        return page
      } catch (error) {
        this.#signal.throwIfAborted()
        const now = performance.now()
        givesUpAt = Math.min(givesUpAt, now + forMs)
        if (!this.#answered || !isTransientError(error) || now + pauseMs > givesUpAt) throw error
      }
      await sleep(pauseMs, undefined, { signal: this.#signal })
    }
  }

  async #once(request: Omit<PageRequest, 'bucket'>): Promise<ListingPage> {
    const { client, bucket, patience } = this.#options
    const late = AbortSignal.timeout(patience?.answerMs ?? 60_000)
    try {
      return await listPage(client, { ...request, bucket }, AbortSignal.any([this.#signal, late]))
    } catch (error) {
      throw late.aborted ? late.reason : error
    }
  }
}
