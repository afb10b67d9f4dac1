import type { HaltCause } from '#src/document/verdict.ts'

/** What a person does before the next run, by what halted this one. Null where the message itself says it. */
const NEXT_STEPS: Readonly<Record<HaltCause, string | null>> = {
  credits: 'add credits to the account of PARSE_API_KEY',
  key: 'check PARSE_API_KEY, and that PARSE_API_URL is the service that issued it',
  permission: 'ask the service to allow this operation for PARSE_API_KEY, or leave out the option that needs it',
  options: 'correct the parse options that the message names (--options, --formats, rules)',
  address: 'check PARSE_API_URL: no document is accepted there',
  proxy: 'check HTTPS_PROXY and NO_PROXY, the login page of this network, and PARSE_API_URL',
  // `--max-credits`, `--monthly-credits`, the store's path and so on stand in the message.
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
