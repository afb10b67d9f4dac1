import type { ParseOptions } from '@sluice/contract'
import type { Conversion } from '../conversion.ts'
import type { ModelOptions } from '../model/chat-completion.ts'
import { findPii } from '../model/find-pii.ts'
import { redactConversion, redactionOf } from '../redact/redact-conversion.ts'

/**
 * Removes the personal data that the request names (contract, "Redaction object"). If a request needs a model and none
 * is configured, heuristics are the fallback, and a warning states it.
 */
export async function redacted(
  conversion: Conversion,
  { redactPII }: ParseOptions,
  model: ModelOptions | null,
): Promise<Conversion> {
  const redaction = redactionOf(redactPII)
  if (redaction === null) return conversion
  if (redaction.mode === 'fast' || model === null) return redactConversion(conversion, redaction)
  return redactConversion(conversion, redaction, await findPii(model, conversion.markdown, redaction.entities))
}
