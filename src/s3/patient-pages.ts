import { setTimeout as sleep } from 'node:timers/promises'
import type { S3Client } from '@aws-sdk/client-s3'
import type { ListingPage } from '#src/s3/listing-page.ts'
import { mayComeBack } from './listing-errors.ts'
import { listPage, type PageRequest } from './page.ts'

export interface Patience {
  /** How long a page is asked for again and again, where pages came before. Default 60,000. */
  readonly forMs?: number
  /** How long one request for a page may take, with what the SDK itself tries again. Default 60,000. */
  readonly answerMs?: number
}

interface PatientOptions {
  readonly client: S3Client
  readonly bucket: string
  readonly patience?: Patience
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/**
 * Asks for the pages of a listing. A million objects are a thousand requests, which take minutes: where a store that
 * gave a page fails at a later one, that page is asked for again, so that a restart of the store does not cost the
 * listing and the run. Before the first page a failure more likely is a mistake in the settings, and is thrown at once.
 */
export class PatientPages {
  readonly #options: PatientOptions
  readonly #signal: AbortSignal
  #answered = false

  constructor(options: PatientOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
  }

  /** @throws what the store last said, when it did not come back in time, or when asking again cannot help */
  async ask(request: Omit<PageRequest, 'bucket'>): Promise<ListingPage> {
    const { forMs = 60_000 } = this.#options.patience ?? {}
    let givesUpAt = Infinity
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        const page = await this.#once(request)
        this.#answered = true
        return page
      } catch (error) {
        this.#signal.throwIfAborted()
        const now = performance.now()
        givesUpAt = Math.min(givesUpAt, now + forMs)
        if (!this.#answered || !mayComeBack(error) || now + pauseMs > givesUpAt) throw error
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
