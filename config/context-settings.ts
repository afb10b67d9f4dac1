import { z } from 'zod'
import { address, optionalNumber, optionalText, structure, whole } from './setting.ts'

const DEFAULT_OPTIONS = { temperature: 0, max_tokens: 300 }

/** The model that `export --context` asks. */
export const CONTEXT_SETTINGS = {
  contextUrl: address({
    env: 'SLUICE_CONTEXT_URL',
    protocols: ['http', 'https'],
    example: 'https://api.openai.com/v1',
    doc: 'OpenAI-compatible service, address before /chat/completions',
  }),
  contextModel: optionalText({ env: 'SLUICE_CONTEXT_MODEL', placeholder: 'name', doc: 'model that writes contexts' }),
  contextKey: optionalText({
    env: 'SLUICE_CONTEXT_KEY',
    placeholder: 'key',
    doc: 'key of that service',
    secret: true,
  }),
  contextTokens: whole({
    env: 'SLUICE_CONTEXT_TOKENS',
    default: 100,
    min: 8,
    max: 1000,
    doc: 'most tokens of a context, and at most half of --limit',
  }),
  contextMaxTokens: optionalNumber({
    env: 'SLUICE_CONTEXT_MAX_TOKENS',
    min: 0,
    max: 1e12,
    doc: 'stop before prompts and answers take more tokens',
  }),
  contextRate: optionalNumber({
    env: 'SLUICE_CONTEXT_RATE',
    min: 0.01,
    max: 1e6,
    unit: 'requests a minute',
    doc: 'rate limit of that service, a ceiling',
  }),
  contextConcurrency: optionalNumber({
    env: 'SLUICE_CONTEXT_CONCURRENCY',
    min: 1,
    max: 1e6,
    unit: 'requests',
    doc: 'concurrency limit of that service, a ceiling',
  }),
  contextOptions: structure({
    env: 'SLUICE_CONTEXT_OPTIONS',
    schema: z.record(z.string(), z.unknown()).default(DEFAULT_OPTIONS),
    doc: 'fields of each request to the model, as JSON',
  }),
}
