import type { WebNetwork } from '@sluice/fetch'
import type { PriceModel } from '@sluice/contract'
import type { ConversionPoolOptions } from '../children/conversion-pool.ts'
import type { KeyLimits } from '../limits/account.ts'
import type { ModelOptions } from '../model/chat-completion.ts'

/** Configuration of the engine. Limits not named here are off. */
export interface EngineOptions extends ConversionPoolOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** Default: 0, a free port. */
  readonly port?: number
  /** Listens on a unix socket instead of a port. */
  readonly socketPath?: string
  /** Parent of the engine's upload folder. Default: the system's temporary folder. */
  readonly temporaryFolder?: string
  /** Maximum size of an upload. Default: 50 MiB. */
  readonly maxFileBytes?: number
  /** API keys and their limits. Default: every caller is admitted, without limits and for free. */
  readonly keys?: Readonly<Record<string, KeyLimits>>
  /** Prices for `creditsUsed`. Default: the hosted service's. The user's actual cost is a setting of the client. */
  readonly prices?: PriceModel
  /** Writes `summary` and `json`, and finds terms for `redactPII`. Default: none. */
  readonly model?: ModelOptions
  /** Codes of the languages of scans, such as `deu`. Default: English, and detected languages. */
  readonly ocrLanguages?: readonly string[]
  /** Cache folder for OCR data of languages, fetched when the first page needs it. Default: only installed data. */
  readonly languagesFolder?: string
  /** Receives one line for a slow step, such as a fetch. Default: no output. */
  readonly notify?: (line: string) => void
  /** Reads hidden sheets of workbooks too. Default: false, and the warning counts them. */
  readonly hiddenSheets?: boolean
  /** Passwords to try on encrypted PDF and Office files. Default: none. */
  readonly passwords?: readonly string[]
  /** Lets /v2/scrape fetch from private, loopback and link-local addresses. Default: false. */
  readonly allowPrivateAddresses?: boolean
  /** Network of /v2/scrape and /v2/map. Default: a direct connection. */
  readonly network?: WebNetwork
  /** Level of the log on stderr: `warn`, `info`, …. Default: `silent`. The log holds no part of a document. */
  readonly logLevel?: string
}
