import type { ParseOptions, Extension } from '@sluice/contract'
import type { Conversion, ConversionProblem } from '../conversion.ts'
import type { TextKind } from '../text/text-kind.ts'
import type { ModelOptions } from '../model/chat-completion.ts'

/** One document for a child process. A PDF and what is large travels by file, all else over the pipe. */
export interface ConversionTask {
  /** Not there where `bytes` are given. */
  readonly path: string
  /** The document itself, up to `PIPE_BYTES`. */
  readonly bytes?: Buffer | null
  readonly extension: Extension
  /** Set for a page of text, whose `extension` says nothing then. */
  readonly textKind?: TextKind | null
  /** As the sender declared it, for its `charset`; null when nothing was declared. */
  readonly contentType: string | null
  /** What relative links are resolved against; null for an upload. */
  readonly baseUrl: string | null
  readonly options: ParseOptions
  /** For the formats that a language model writes; null where none is set up. */
  readonly model: ModelOptions | null
  /** Tried on encrypted PDF and Office files; never in a log, an answer or an error. */
  readonly passwords: readonly string[]
  /** Reads hidden sheets of workbooks too; default false. */
  readonly hiddenSheets?: boolean
  /** Shared by the children of one engine: data that is unpacked once. */
  readonly cacheFolder: string
  /** The languages of scans: where fetched data lies, and the codes that are allowed, null for any; default: what is installed. */
  readonly ocr?: { readonly fetched: string | null; readonly allowed: readonly string[] | null }
  /** Whether the answer gets the `sluice` field beside what the contract has (`EXTENSIONS_HEADER`). */
  readonly extensions: boolean
  /** Where the child writes the fields of `data` (see `dataFields`) that are too long for the pipe; its folder may not exist. */
  readonly fieldsPath: string
}

/** Longest document or answer that goes over the pipe between server and child, in bytes. */
export const PIPE_BYTES = 1024 ** 2

/** What comes back over the pipe: small, whatever the size of the document. */
export type ConversionReport =
  | {
      readonly kind: 'converted'
      /** The fields of `data` as JSON members; null where they stand at `fieldsPath`. */
      readonly fields: Buffer | null
      readonly metadata: Conversion['metadata']
      readonly warnings: readonly string[]
      /** Codes of OCR languages whose data would have been used, and can be fetched. */
      readonly lackingLanguages: readonly string[]
    }
  /** The model could not be asked, or could not do what was asked; the document is fine. */
  | {
      readonly kind: 'model_failed'
      readonly because: 'unavailable' | 'no_conforming_result'
      readonly message: string
    }
  | { readonly kind: 'refused'; readonly problem: ConversionProblem; readonly message: string }
  /** A bug of a converter. `trace` is for the log. */
  | { readonly kind: 'failed'; readonly trace: string }

/** What a child process says to the server. */
export type ChildMessage =
  | { readonly kind: 'ready' }
  /** A converter cannot be loaded; the message names the package. */
  | { readonly kind: 'unloadable'; readonly message: string }
  | { readonly kind: 'report'; readonly report: ConversionReport }
