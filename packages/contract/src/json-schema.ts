import { createRequire } from 'node:module'
import type * as draft7Module from 'ajv'
import type * as draft2020Module from 'ajv/dist/2020.js'

type Ajv = draft7Module.Ajv
type Ajv2020 = draft2020Module.Ajv2020

/**
 * Loads and builds Ajv lazily, at the first schema: most runs need no schema, and every command would pay for the
 * import.
 */
const require = createRequire(import.meta.url)
const OPTIONS = { strict: false, validateFormats: false, addUsedSchema: false, logger: false } as const
let draft7: Ajv | undefined
let draft2020: Ajv2020 | undefined
const NAMES_2020 = /^https?:\/\/json-schema\.org\/draft\/2020-12\//

/**
 * Explains in one sentence why this object is not a usable JSON Schema, or returns null. Parses it as draft 2020-12 if
 * `$schema` names that, else as draft-07, whose keywords every later draft kept. Unknown keywords and formats are
 * allowed: models read them.
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
    // Ajv caches every schema without this call.
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
