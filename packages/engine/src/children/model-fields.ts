import type { ParseOptions, ParsedData } from '@sluice/contract'
import { DEFAULT_INPUT_CHARACTERS, type ModelOptions } from '../model/chat-completion.ts'
import { extractJson } from '../model/extract-json.ts'
import { summarize } from '../model/summarize.ts'

export interface ModelFields {
  readonly fields: Pick<ParsedData, 'summary' | 'json'>
  readonly warnings: readonly string[]
}

const names = (wanted: readonly string[]): string => wanted.join(' and ')

/**
 * Returns the formats that a language model writes. Without a model they are null, and a warning gives the reason. The
 * engine never invents a substitute.
 */
export async function modelFields(
  markdown: string,
  { formats }: ParseOptions,
  model: ModelOptions | null,
): Promise<ModelFields> {
  const json = formats.find((format) => format.type === 'json')
  const wantsSummary = formats.some((format) => format.type === 'summary')
  const wanted = [...(wantsSummary ? ['summary'] : []), ...(json === undefined ? [] : ['json'])]
  if (wanted.length === 0) return { fields: {}, warnings: [] }
  if (model === null) {
    const fields = { ...(wantsSummary ? { summary: null } : {}), ...(json === undefined ? {} : { json: null }) }
    return {
      fields,
      warnings: [
        `No language model is configured, so ${names(wanted)} could not be written: set SLUICE_ENGINE_MODEL_URL.`,
      ],
    }
  }
  const limit = model.maxInputCharacters ?? DEFAULT_INPUT_CHARACTERS
  const shown = markdown.slice(0, limit)
  const cut = `Only the first ${limit} of ${markdown.length} characters were shown to the language model.`
  return {
    fields: {
      ...(wantsSummary ? { summary: await summarize(model, shown) } : {}),
      ...(json === undefined ? {} : { json: await extractJson(model, shown, json) }),
    },
    warnings: shown.length < markdown.length ? [cut] : [],
  }
}
