import { z } from 'zod'
import { address, flag, list, optionalText, structure, text, integer } from './setting.ts'

const keyLimits = z.strictObject({
  credits: z.number().min(0).optional(),
  requestsPerMinute: z.number().positive().optional(),
  concurrency: z.int().positive().optional(),
  overflow: z.enum(['queue', 'refuse']).optional(),
  zeroDataRetention: z.boolean().optional(),
})

/** Settings of the engine, our own server of /v2/parse. Flags of `sluice engine` omit the prefix `engine`. */
export const ENGINE_SETTINGS = {
  engineHost: text({
    default: '127.0.0.1',
    placeholder: 'address',
    doc: 'listen address of the engine; beyond loopback, set --keys',
  }),
  enginePort: integer({ default: 0, min: 0, max: 65535, doc: 'port of the engine; 0 picks a free one' }),
  engineSocket: optionalText({ placeholder: 'path', path: true, doc: 'unix socket of the engine, instead of a port' }),
  engineProcesses: integer({ default: 2, min: 1, max: 256, doc: 'documents that the engine converts in parallel' }),
  engineMemoryMb: integer({
    default: 600,
    min: 128,
    max: 1_000_000,
    unit: 'MiB',
    doc: 'memory limit of one conversion',
  }),
  engineKeys: structure({
    schema: z.record(z.string().min(1), keyLimits).optional(),
    doc: 'accepted API keys with their limits, as JSON',
    secret: true,
  }),
  enginePasswords: structure({
    schema: z.array(z.string().min(1)).max(100).optional(),
    doc: 'passwords to try on encrypted files, as a JSON array',
    secret: true,
  }),
  engineOcrLanguages: {
    ...list({
      placeholder: 'eng,deu',
      doc: 'OCR languages as Tesseract codes, most common first',
    }),
    schema: z
      .array(
        z.string().regex(/^[a-z]{3}(?:_[a-z]+)?$/, {
          error: 'a Tesseract code such as deu is needed, or several such as eng,deu',
        }),
      )
      .default([]),
  },
  engineHiddenSheets: flag({ doc: 'convert hidden sheets of workbooks too' }),
  engineModelUrl: address({
    protocols: ['http', 'https'],
    example: 'http://localhost:11434/v1',
    doc: 'OpenAI-compatible endpoint for summary, json and redaction',
  }),
  engineModelName: text({ default: '', placeholder: 'name', doc: 'name of the model at that endpoint' }),
  engineModelKey: optionalText({ placeholder: 'key', doc: 'API key of the model endpoint', secret: true }),
  engineAllowPrivateAddresses: flag({ doc: 'allow /v2/scrape to fetch from private addresses' }),
}
