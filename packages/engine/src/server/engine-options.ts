import type { WebNetwork } from '@sluice/fetch'
import type { PriceModel } from '@sluice/contract'
import type { ConversionPoolOptions } from '../children/conversion-pool.ts'
import type { KeyLimits } from '../limits/account.ts'
import type { ModelOptions } from '../model/chat-completion.ts'

/** How the engine is set up. Every limit is off unless it is named here. */
export interface EngineOptions extends ConversionPoolOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: a free one. */
  readonly port?: number
  /** Listens on a unix socket instead of a port. */
  readonly socketPath?: string
  /** Where the engine makes its own folder for uploads; default: the system's temporary folder. */
  readonly temporaryFolder?: string
  /** Largest upload; default 50 MiB. */
  readonly maxFileBytes?: number
  /** API keys and their limits. Left out: every caller is admitted, without limits and for nothing. */
  readonly keys?: Readonly<Record<string, KeyLimits>>
  /** What `creditsUsed` is computed with; default: the hosted service's. What it costs the user is the client's setting. */
  readonly prices?: PriceModel
  /** Writes `summary` and `json` and finds what `redactPII` is to hide; default none. */
  readonly model?: ModelOptions
  /** Codes of the languages that scans may be in, as `deu`; default: English, and others that pages turn out to be in. */
  readonly ocrLanguages?: readonly string[]
  /** Where OCR data of languages is fetched to when a first page needs it; default: only what is installed is used. */
  readonly languagesFolder?: string
  /** Receives one line for what takes a moment, such as a fetch; default: the lines are dropped. */
  readonly notify?: (line: string) => void
  /** Reads hidden sheets of workbooks too; default false: the warning counts them. */
  readonly hiddenSheets?: boolean
  /** Passwords to try on encrypted PDF and Office files; default none. */
  readonly passwords?: readonly string[]
  /** Lets /v2/scrape fetch from private, loopback and link-local addresses; default false. */
  readonly allowPrivateAddresses?: boolean
  /** How /v2/scrape and /v2/map reach the web; default: directly. */
  readonly network?: WebNetwork
  /** Level of the log, which goes to stderr: `warn`, `info`, …; default `silent`. Holds nothing of a document. */
  readonly logLevel?: string
}
