import { z } from 'zod'
import { address, flag, list, optionalText, structure, text, whole } from './setting.ts'

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
    doc: 'address of the engine; beyond loopback it is open',
  }),
  enginePort: whole({ default: 0, min: 0, max: 65535, doc: 'port of the engine; 0 takes a free one' }),
  engineSocket: optionalText({ placeholder: 'path', path: true, doc: 'unix socket of the engine, instead of a port' }),
  engineProcesses: whole({ default: 2, min: 1, max: 256, doc: 'documents that the engine converts at once' }),
  engineMemoryMb: whole({
    default: 600,
    min: 128,
    max: 1_000_000,
    unit: 'MiB',
    doc: 'end a conversion that takes more memory',
  }),
  engineKeys: structure({
    schema: z.record(z.string().min(1), keyLimits).optional(),
    doc: 'API keys that are accepted with their limits, as JSON',
    secret: true,
  }),
  enginePasswords: structure({
    schema: z.array(z.string().min(1)).max(100).optional(),
    doc: 'passwords of encrypted files, as a JSON array',
    secret: true,
  }),
  engineOcrLanguages: {
    ...list({
      placeholder: 'eng,deu',
      doc: "languages of scans, Tesseract's codes, commonest first",
    }),
    schema: z
      .array(
        z
          .string()
          .regex(/^[a-z]{3}(?:_[a-z]+)?$/, { error: 'a code of Tesseract such as deu is needed, several as eng,deu' }),
      )
      .default([]),
  },
  engineHiddenSheets: flag({ doc: 'read the hidden sheets of workbooks too' }),
  engineModelUrl: address({
    protocols: ['http', 'https'],
    example: 'http://localhost:11434/v1',
    doc: 'OpenAI-compatible endpoint: summary, json, redaction',
  }),
  engineModelName: text({ default: '', placeholder: 'name', doc: 'model to ask for' }),
  engineModelKey: optionalText({ placeholder: 'key', doc: 'key of the model endpoint', secret: true }),
  engineAllowPrivateAddresses: flag({ doc: 'let /v2/scrape fetch from private addresses' }),
}
