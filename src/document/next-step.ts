import type { HaltCause } from '#src/document/verdict.ts'

/** Remedy before the next run, by the cause of the halt. Null if the message itself names it. */
const NEXT_STEPS: Readonly<Record<HaltCause, string | null>> = {
  credits: 'add credits to the account of PARSE_API_KEY',
  key: 'check PARSE_API_KEY, and that PARSE_API_URL is the service that issued it',
  permission: 'ask the service to allow this operation for PARSE_API_KEY, or leave out the option that needs it',
  options: 'correct the parse options that the message names (--options, --formats, rules)',
  address: 'check PARSE_API_URL: no document is accepted there',
  proxy: 'check HTTPS_PROXY and NO_PROXY, the login page of this network, and PARSE_API_URL',
  // The message names `--max-credits`, `--monthly-credits` or the store's path.
  budget: null,
  store: null,
  engine: null,
  installation: null,
  service: null,
  source: null,
}

export function nextStep(cause: HaltCause): string | null {
  const step = NEXT_STEPS[cause]
  return step === null ? null : `next: ${step}; then run again: every waiting document is kept`
}
