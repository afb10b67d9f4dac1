import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { EXTENSIONS, extensionOf } from '@sluice/contract'

const SAMPLES = resolve(import.meta.dirname, '../../samples')
const names = readdirSync(SAMPLES)

test('the samples hold a document of every extension and nothing else', () => {
  const found = names.map(extensionOf)
  expect(found).not.toContain(null)
  expect(new Set(found)).toEqual(new Set(EXTENSIONS))
})

test('the samples of npm start stay small', () => {
  const bytes = names.reduce((sum, name) => sum + statSync(join(SAMPLES, name)).size, 0)
  expect(bytes).toBeLessThan(400_000)
})
