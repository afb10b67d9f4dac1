import { createRequire } from 'node:module'
import type * as draft7Module from 'ajv'
import type * as draft2020Module from 'ajv/dist/2020.js'

type Ajv = draft7Module.Ajv
type Ajv2020 = draft2020Module.Ajv2020

/** Loaded, and made, when the first schema comes: most runs ask for none, and every command would load it. */
const require = createRequire(import.meta.url)
const OPTIONS = { strict: false, validateFormats: false, addUsedSchema: false, logger: false } as const
let draft7: Ajv | undefined
let draft2020: Ajv2020 | undefined
const NAMES_2020 = /^https?:\/\/json-schema\.org\/draft\/2020-12\//

/**
 * Why this object is no usable JSON Schema, as one sentence, or null. Read as draft 2020-12 when `$schema` says so, else
 * as draft-07, whose words every later draft kept. Unknown keywords and formats are allowed: models read them.
 */
export function jsonSchemaProblem(schema: Readonly<Record<string, unknown>>): string | null {
  const { $schema: draft, ...body } = schema
  const is2020 = typeof draft === 'string' && NAMES_2020.test(draft)
  const ajv = is2020 ? (draft2020 ??= newer()) : (draft7 ??= older())
  try {
    ajv.compile(body)
    return null
  } catch (error) {
    return `is not a JSON Schema: ${(error as Error).message.replace(/^schema is invalid: data/, '')}`
  } finally {
    // Ajv would keep every schema that it has ever seen.
    ajv.removeSchema(body)
  }
}

function older(): Ajv {
  const ajv = require('ajv') as typeof draft7Module
  return new ajv.Ajv(OPTIONS)
}

function newer(): Ajv2020 {
  const ajv = require('ajv/dist/2020.js') as typeof draft2020Module
  return new ajv.Ajv2020(OPTIONS)
}
