import type { FailureCode } from '#src/document/failure.ts'
import type { ViewOptions } from './view-options.ts'

const REMEDIES: Readonly<Record<FailureCode, string>> = {
  unsupported_type: 'No parser takes this format. Convert the files, or leave them out with --exclude.',
  empty: 'The files have no bytes. Check the program that wrote them.',
  too_large: 'The files are larger than the service takes. PDFs can be split: --split-large-pdfs.',
  corrupt: 'The files are damaged. Fetch them again from where they came from.',
  encrypted: 'The files want a password. Store them without one.',
  wrong_type: 'The content is not what the extension says. Rename the files.',
  unreadable: 'The files cannot be read by this user. Change their permissions.',
  unreadable_name: 'The names are no UTF-8. Rename the files.',
  symlink_loop: 'A link leads back to itself. Remove it.',
  vanished: 'The files went away after they were listed. The next run lists them again.',
  changing: 'The files changed while they were read. Run again when they no longer change.',
  service_rejected: 'The service does not take these documents; each failure says why.',
  refused: 'The service refused the request. Check the options and the permissions of the key.',
  service_unavailable: 'The service failed for these documents, five times each. Retry when it works again.',
  timeout: 'The service took too long. Retry: the next try is given more time.',
  bad_answer: 'The answer could not be used. Retry; report it to the service where it lasts.',
  store_unwritable: 'The store did not take the outputs. Check its disk or bucket, then retry.',
  taken_by_other_source: 'Another source has a document of this name in the store. Give one a --prefix.',
  deadline: 'The documents waited for longer than the deadline. Retry, or raise --deadline.',
  ambiguous: 'A request was in flight when its process was killed, and may have been charged. Retry sends it again.',
  internal: 'A bug. The log has the error; report it.',
}

/** Remedy against failures of a code, for a person. */
export const remedyOf = (code: string): string =>
  code in REMEDIES ? REMEDIES[code as FailureCode] : 'Each failure says why.'

/** Maximum number of example documents per code. */
const EXAMPLES = 5

export type CodeFailures = ReturnType<typeof failuresByCode>[number]

/** Failures by reason, each with its remedy and some of its documents. */
export const failuresByCode = ({ index, retryCommand }: Pick<ViewOptions, 'index' | 'retryCommand'>) =>
  index.facet('code').map(({ value: code, count }) => ({
    code,
    count,
    remedy: remedyOf(code),
    retryCommand: retryCommand(code),
    examples: [...index.examples(code, EXAMPLES)],
  }))
