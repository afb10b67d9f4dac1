import type { FailureCode } from '#src/document/failure.ts'
import type { ViewOptions } from './view-options.ts'

const REMEDIES: Readonly<Record<FailureCode, string>> = {
  unsupported_type: 'No parser takes this format. Convert the files, or leave them out with --exclude.',
  empty: 'The files have no bytes. Check the program that wrote them.',
  too_large: 'The files exceed the size limit of the service. PDFs are split unless --no-split-large-pdfs is set.',
  corrupt: 'The files are damaged. Get them again from their origin.',
  encrypted: 'The files need a password. Save them without one.',
  wrong_type: 'The content does not match the extension. Rename the files.',
  unreadable: 'The files cannot be read by this user. Change their permissions.',
  unreadable_name: 'The names are not valid UTF-8. Rename the files.',
  symlink_loop: 'A symbolic link leads back to itself. Remove it.',
  vanished: 'The files disappeared after they were listed. The next run lists the source again.',
  changing: 'The files changed while they were read. Run again when they no longer change.',
  service_rejected: 'The service rejected these documents. Read the reason of each failure.',
  refused: 'The service refused the request. Check the options and the permissions of the key.',
  service_unavailable: 'The service failed on all attempts for these documents. Retry when it works again.',
  timeout: 'The service exceeded the timeout. Retry: the next attempt has a longer one.',
  bad_answer: 'The answer could not be used. Retry; if it happens again, report it to the service.',
  store_unwritable: 'The store could not save the outputs. Check its disk or bucket, then retry.',
  taken_by_other_source: 'Another source has a document of the same name in the store. Give one source a --prefix.',
  deadline: 'The documents waited for longer than the deadline. Retry, or raise --deadline.',
  ambiguous: 'A request was in flight when its process was killed, and may have been charged. Retry sends it again.',
  internal: 'Sluice has a bug. The log has the error; please report it.',
}

/** Remedy against failures of a code, for a person. */
export const remedyOf = (code: string): string =>
  code in REMEDIES ? REMEDIES[code as FailureCode] : 'Read the reason of each failure.'

/** Maximum number of example documents per code or reason. */
export const EXAMPLES = 5

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
