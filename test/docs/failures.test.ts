import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const DOCS = resolve(import.meta.dirname, '../../docs')
const SHOWN_BY = /^Shown by \[((?:packages\/\w+\/)?test\/[\w/.-]+)\]\(\.\.\/\.\.\/\1\): "([^"\n]+)"$/gm

const sections = (await readFile(join(DOCS, 'internals/failures.md'), 'utf8')).split(/^## /m).slice(1)

test('docs/internals/failures.md has a heading for each fault', () => {
  expect(sections.length).toBeGreaterThan(10)
})

test.each(sections.map((text) => [text.split('\n', 1)[0] ?? '', text] as const))(
  'docs/internals/failures.md proves "%s" only by tests that exist',
  async (_, text) => {
    const proofs = [...text.matchAll(SHOWN_BY)]
    expect(proofs.length).toBeGreaterThan(0)
    expect(proofs.length).toBe(text.split('Shown by').length - 1)
    for (const [, path = '', title = ''] of proofs) {
      expect(await readFile(resolve(DOCS, '..', path), 'utf8'), path).toContain(title)
    }
  },
)
