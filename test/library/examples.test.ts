import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sluice } from '../support/sluice.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')

const ENTRIES: Readonly<Record<string, string>> = {
  sluice: 'main',
  'sluice/langchain': 'langchain',
  'sluice/llamaindex': 'llamaindex',
}

/** The examples of a page as programs, which import the sources in place of the package. */
async function examplesOf(page: string): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, 'docs', page), 'utf8')
  const examples = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
  return examples.map((code) =>
    code.replaceAll(
      /from '(sluice[^']*)'/g,
      (_, name: string) => `from '${join(ROOT, `src/library/${ENTRIES[name] ?? name}.ts`)}'`,
    ),
  )
}

describe('docs/library.md', { timeout: 120_000 }, () => {
  test('holds examples that work as they stand there, one after the other', async () => {
    await using folder = await tempFolder()
    const at = folder.path
    await mkdir(join(at, 'papers'))
    await writeFile(join(at, 'papers/notes.md'), '# Notes\n\nOne line.\n')
    const examples = await examplesOf('library.md')
    expect(examples).toHaveLength(4)
    for (const [index, code] of examples.entries()) await writeFile(join(at, `${index}.ts`), code)
    await writeFile(join(at, 'all.ts'), examples.map((_, index) => `await import('./${index}.ts')\n`).join(''))
    const env = { SLUICE_STATE_DIR: join(at, 'state') }
    const { code, stdout, stderr } = await sluice([], { program: join(at, 'all.ts'), cwd: at, env })
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('done notes.md')
    expect(stdout).toMatch(/notes\.md done 19/)
    expect(stdout).toContain("notes.md [ 'Notes' ]")
    expect(stdout.split('\n').filter((line) => /^2 (one|two)\.html (ONE|TWO)$/.test(line))).toHaveLength(2)
    expect(stdout).toContain('# Notes\n\nOne line. {')
    expect(stdout).toContain("source: 'notes.md'")
  })
})
