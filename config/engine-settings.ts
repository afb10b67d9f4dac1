import { z } from 'zod'
import { address, choice, flag, list, optionalText, structure, text, whole } from './setting.ts'

const keyLimits = z.strictObject({
  credits: z.number().min(0).optional(),
  requestsPerMinute: z.number().positive().optional(),
  concurrency: z.int().positive().optional(),
  overflow: z.enum(['queue', 'refuse']).optional(),
  zeroDataRetention: z.boolean().optional(),
})

/** The engine: our own server of /v2/parse. As flags of `sluice engine` they are written without `engine`. */
export const ENGINE_SETTINGS = {
  engineHost: text({
    env: 'SLUICE_ENGINE_HOST',
    default: '127.0.0.1',
    placeholder: 'address',
    doc: 'address that the engine listens on; anything but loopback is open to the network',
  }),
  enginePort: whole({
    env: 'SLUICE_ENGINE_PORT',
    default: 0,
    min: 0,
    max: 65535,
    doc: 'port that the engine listens on; 0 takes a free one',
  }),
  engineSocket: optionalText({
    env: 'SLUICE_ENGINE_SOCKET',
    placeholder: 'path',
    path: true,
    doc: 'listen on a unix socket instead of a port',
  }),
  engineProcesses: whole({
    env: 'SLUICE_ENGINE_PROCESSES',
    default: 2,
    min: 1,
    max: 256,
    doc: 'documents that the engine converts at once',
  }),
  engineMemoryMb: whole({
    env: 'SLUICE_ENGINE_MEMORY_MB',
    default: 600,
    min: 128,
    max: 1_000_000,
    unit: 'MiB',
    doc: 'a conversion that takes more resident memory is ended: RESOURCE_LIMIT',
  }),
  engineKeys: structure({
    env: 'SLUICE_ENGINE_KEYS',
    schema: z.record(z.string().min(1), keyLimits).optional(),
    doc: 'API keys that are accepted, and their limits: {"key": {"credits", "requestsPerMinute", "concurrency", "overflow", "zeroDataRetention"}}, as JSON; without it every caller is accepted, without limits',
    secret: true,
  }),
  enginePasswords: structure({
    env: 'SLUICE_ENGINE_PASSWORDS',
    schema: z.array(z.string().min(1)).max(100).optional(),
    doc: 'passwords that the engine tries on encrypted PDF and Office files, as a JSON array',
    secret: true,
  }),
  engineOcrLanguages: {
    ...list({
      env: 'SLUICE_ENGINE_OCR_LANGUAGES',
      placeholder: 'eng,deu',
      doc: "languages of scans, as Tesseract's codes, the commonest first; without it English, and any of ten others that a page turns out to be in",
    }),
    schema: z
      .array(
        z
          .string()
          .regex(/^[a-z]{3}(?:_[a-z]+)?$/, { error: 'a code of Tesseract such as deu is needed, several as eng,deu' }),
      )
      .default([]),
  },
  engineHiddenSheets: flag({
    env: 'SLUICE_ENGINE_HIDDEN_SHEETS',
    default: false,
    doc: 'read the hidden sheets of workbooks too; else the warning of a document counts them',
  }),
  engineModelUrl: address({
    env: 'SLUICE_ENGINE_MODEL_URL',
    protocols: ['http', 'https'],
    example: 'http://localhost:11434/v1',
    doc: 'OpenAI-compatible endpoint for summary, json and accurate redaction; without one the answer says so',
  }),
  engineModelName: text({ env: 'SLUICE_ENGINE_MODEL_NAME', default: '', placeholder: 'name', doc: 'model to ask for' }),
  engineModelKey: optionalText({
    env: 'SLUICE_ENGINE_MODEL_KEY',
    placeholder: 'key',
    doc: 'key of the model endpoint',
    secret: true,
  }),
  engineAllowPrivateAddresses: flag({
    env: 'SLUICE_ENGINE_ALLOW_PRIVATE_ADDRESSES',
    default: false,
    doc: 'let /v2/scrape fetch from private, loopback and link-local addresses',
  }),
  engineLogLevel: choice({
    env: 'SLUICE_ENGINE_LOG_LEVEL',
    values: ['warn', 'error', 'info', 'debug', 'silent'],
    default: 'warn',
    doc: 'how much the engine writes to standard error; never anything of a document',
  }),
}
