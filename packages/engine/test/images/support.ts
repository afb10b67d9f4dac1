import { readFileSync } from 'node:fs'

/** Small images of three black shapes on white, in the encodings of common programs (Pillow 12), as base64. */
const FIXTURES = JSON.parse(readFileSync(new URL('./fixtures.json', import.meta.url), 'utf8')) as Record<string, string>

export const NAMES = Object.keys(FIXTURES)

export function imageBytes(name: string): Buffer {
  const fixture = FIXTURES[name]
  if (fixture === undefined) throw new Error(`no fixture ${name}`)
  return Buffer.from(fixture, 'base64')
}
