import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SCRIPTED } from '../../src/children/check-converters.ts'
import { asUnloadable } from '../../src/children/load-failure.ts'
import { startEngine } from '../support/engine-process.ts'

const ENGINE = join(import.meta.dirname, '../../src')
/** Packages of types only, those that are loaded and called by the check, and that of the process above a child. */
const NOT_LISTED = new Set(['hast', 'mdast', 'p-limit', '@firecrawl/anydoc', '@llamaindex/liteparse'])

test('the start-up check names every package that the converters import', () => {
  const listed = new Set(Object.values(SCRIPTED).flat())
  const imported = globSync(
    '{web,office,word,slides,sheets,books,ooxml,container,encryption,markup,children}/**/*.ts',
    { cwd: ENGINE },
  ).flatMap((file) =>
    [...readFileSync(join(ENGINE, file), 'utf8').matchAll(/(?:from |import\()'((?:@[\w.-]+\/)?[a-z][\w.-]*)/g)].map(
      (match) => match[1] ?? '',
    ),
  )
  const packages = new Set(
    imported.filter((name) => !name.startsWith('node') && !name.startsWith('@sluice/') && !NOT_LISTED.has(name)),
  )
  expect(packages.size).toBeGreaterThan(10)
  expect([...packages].filter((name) => !listed.has(name))).toEqual([])
})

test('an engine without a converter refuses to start and names the missing package', async () => {
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(name, context, next) { return next(name.replace('@firecrawl/anydoc', '@firecrawl/gone'), context) } })`
  const NODE_OPTIONS = `--disable-warning=ExperimentalWarning --import data:text/javascript,${encodeURIComponent(hook)}`
  const started = startEngine({}, { ...process.env, NODE_OPTIONS })
  await expect(started).rejects.toThrow(
    'sluice engine: cannot start: the converter for Office documents cannot be loaded: package @firecrawl/gone is missing',
  )
  await expect(started).rejects.not.toThrow(/\n\s+at /)
})

test('the most exact package is named when a build for this machine is missing', () => {
  const native = new Error("Cannot find module '@firecrawl/anydoc-linux-x64-gnu'\nRequire stack:")
  const error = new Error('Cannot find native binding.', { cause: native })
  expect(asUnloadable(error, 'Office documents').message).toContain(
    'package @firecrawl/anydoc-linux-x64-gnu is missing',
  )
})
