import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

const OPTIONS = { strict: false, validateFormats: false, addUsedSchema: false, logger: false } as const
// Made when the first schema comes: most runs ask for none.
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
  const ajv = is2020 ? (draft2020 ??= new Ajv2020(OPTIONS)) : (draft7 ??= new Ajv(OPTIONS))
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
