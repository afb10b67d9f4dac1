import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { EXTENSIONS, extensionOf, formatOf } from '@sluice/contract'

const SAMPLES = resolve(import.meta.dirname, '../../samples')
const names = readdirSync(SAMPLES)

test('the samples hold a document of every extension, one image, and nothing else', () => {
  const found = names.map(extensionOf)
  expect(found).not.toContain(null)
  const documents = EXTENSIONS.filter((extension) => formatOf(extension).family !== 'image')
  expect(new Set(found)).toEqual(new Set([...documents, 'png']))
})

test('the samples of npm start stay small', () => {
  const bytes = names.reduce((sum, name) => sum + statSync(join(SAMPLES, name)).size, 0)
  expect(bytes).toBeLessThan(400_000)
})
