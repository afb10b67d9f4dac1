import { Ajv2020 } from 'ajv/dist/2020.js'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { StoreView } from './check-store.ts'

const SCHEMAS = resolve(import.meta.dirname, '../../docs/schemas')

/** Everything in a store that breaks the JSON Schemas published in docs/schemas, one sentence each. */
export async function breachesOfSchemas(store: StoreView): Promise<string[]> {
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false })
  const load = async (name: string) =>
    ajv.compile(JSON.parse(await readFile(join(SCHEMAS, `${name}.schema.json`), 'utf8')) as object)
  const [record, letter, page, block] = await Promise.all(
    ['record', 'dead-letter', 'pages-line', 'blocks-line'].map(load),
  )
  const breaches: string[] = []
  const check = (validate: typeof record, what: string, value: unknown): void => {
    if (validate?.(value) !== true) breaches.push(`${what}: ${ajv.errorsText(validate?.errors)}`)
  }
  for (const [key, value] of store.records) check(record, `record of ${key}`, value)
  for (const [key, value] of store.letters) check(letter, `dead letter of ${key}`, value)
  for (const [key, folder] of store.folders) {
    for (const [name, validate] of [
      ['pages.jsonl', page],
      ['blocks.jsonl', block],
    ] as const) {
      const listed = store.records.get(key)?.files.some((file) => file.name === name) ?? false
      const lines = listed ? (await readFile(join(folder, name), 'utf8')).trimEnd().split('\n') : []
      for (const line of lines.filter((text) => text !== '')) check(validate, `${name} of ${key}`, JSON.parse(line))
    }
  }
  return breaches
}
