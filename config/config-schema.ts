import { z } from 'zod'
import { FILE_NAMES, type FileName, isShared, rowOf } from './file-names.ts'
import type { SettingName } from './settings.ts'

type JsonSchema = z.core.JSONSchema.BaseSchema

const PIPELINES_DOC = 'pipelines, each from a source into a store; "sluice run" without a source runs all of them'

/** JSON Schema of `sluice.yaml`, generated from the settings table for the completion and checks of editors. */
export function configSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'sluice.yaml',
    description: 'Settings of Sluice. Precedence: flag, environment variable, this file, default.',
    type: 'object',
    additionalProperties: false,
    properties: {
      ...propertiesOf(FILE_NAMES),
      pipelines: {
        type: ['object', 'null'],
        description: PIPELINES_DOC,
        additionalProperties: {
          type: 'object',
          additionalProperties: false,
          required: ['source'],
          properties: {
            source: { type: 'string', minLength: 1, description: 'a folder, s3://bucket/prefix, or https://site' },
            ...propertiesOf(FILE_NAMES.filter(({ setting }) => !isShared(setting))),
          },
        },
      },
    },
  }
}

/** Returns the names of all fields in the value of a setting, at any depth. */
export function fieldNames(setting: SettingName): string[] {
  const names = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'properties') for (const name of Object.keys(inner as object)) names.add(name)
      collect(inner)
    }
  }
  collect(schemaOf(setting))
  return [...names]
}

function propertiesOf(names: readonly FileName[]): Record<string, JsonSchema> {
  const properties: Record<string, JsonSchema> = {}
  const sections = Map.groupBy(names, ({ section }) => section)
  for (const name of sections.get(null) ?? []) properties[name.key] = propertyOf(name)
  for (const [section, inside] of sections) {
    if (section === null) continue
    const inner = Object.fromEntries(inside.map((name) => [name.key, propertyOf(name)]))
    properties[section] = { type: ['object', 'null'], additionalProperties: false, properties: inner }
  }
  return properties
}

/** `null` resets a setting to its default. */
function propertyOf({ setting, namesFile }: FileName): JsonSchema {
  const { doc, unit, env } = rowOf(setting)
  const description = `${doc}${unit === undefined ? '' : `, in ${unit}`} [${env}]`
  if (namesFile) return { type: ['string', 'null'], description: `name of a file that holds the ${doc}` }
  const { default: standard, ...schema } = schemaOf(setting)
  const shown = standard === undefined || standard === '' ? {} : { default: standard }
  return { description, ...shown, anyOf: [schema, { type: 'null' }] }
}

function schemaOf(setting: SettingName): JsonSchema {
  const { published, schema } = rowOf(setting)
  const { $schema: _, ...rest } = z.toJSONSchema(published ?? schema, { io: 'input', override: allowShorthand })
  return rest
}

/**
 * The contract accepts `"markdown"` for `{type: "markdown"}` (formats, parsers): a preprocessed value may be its type
 * alone.
 */
function allowShorthand({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }): void {
  const { def } = zodSchema._zod
  if (def.type !== 'pipe' || def.in._zod.def.type !== 'transform') return
  const full = { ...jsonSchema }
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof JsonSchema]
  jsonSchema.anyOf = [{ type: 'string', enum: typesOf(full) }, full]
}

function typesOf(schema: JsonSchema): string[] {
  return [schema, ...(schema.oneOf ?? [])].flatMap((one) => {
    const type = typeof one === 'object' ? one.properties?.['type'] : undefined
    return typeof type === 'object' ? [...(type.enum ?? []), ...('const' in type ? [type.const] : [])].map(String) : []
  })
}
