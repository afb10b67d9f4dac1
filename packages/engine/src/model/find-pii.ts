import { z } from 'zod'
import type { RedactionOptions } from '@sluice/contract'
import type { PiiTerm } from '../redact/pii-span.ts'
import type { ModelOptions } from './chat-completion.ts'
import { extractJson } from './extract-json.ts'

/** Chunk size in characters. A small model reads all of it carefully. */
const CHUNK_CHARACTERS = 12_000
/** Each chunk repeats the end of the previous one, so that no name is split. */
const OVERLAP_CHARACTERS = 200

const PROMPT = `List every piece of personally identifiable information in the document, each exactly as it is written there.
Entities: PERSON (names of people), EMAIL, PHONE, LOCATION (street addresses and places that locate a person),
FINANCIAL (account and card numbers), SECRET (passwords, keys, tokens). Answer {"found": []} when there is none.`

function chunksOf(text: string): string[] {
  const step = CHUNK_CHARACTERS - OVERLAP_CHARACTERS
  const count = Math.max(1, Math.ceil((text.length - OVERLAP_CHARACTERS) / step))
  return Array.from({ length: count }, (_, index) => text.slice(index * step, index * step + CHUNK_CHARACTERS))
}

/**
 * Returns the personal data that a language model finds, of the requested entities. Every match must appear verbatim in
 * the document, since the model invents others.
 */
export async function findPii(
  model: ModelOptions,
  document: string,
  entities: RedactionOptions['entities'],
): Promise<readonly PiiTerm[]> {
  const answer = z.object({ found: z.array(z.object({ text: z.string().min(2), entity: z.enum(entities) })) })
  const schema = z.toJSONSchema(answer) as Record<string, unknown>
  const terms = new Map<string, PiiTerm>()
  for (const chunk of chunksOf(document)) {
    const { found } = answer.parse(await extractJson(model, chunk, { schema, prompt: PROMPT }))
    for (const term of found) {
      if (chunk.includes(term.text)) terms.set(`${term.entity} ${term.text}`, term)
    }
  }
  return [...terms.values()]
}
