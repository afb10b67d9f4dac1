import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules, stripTypeScriptTypes } from 'node:module'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

interface PackageFile {
  readonly dependencies: Readonly<Record<string, string>>
}

const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as PackageFile

/** What the package and the image hold of our code. */
const SHIPPED = ['src', 'config', 'workers'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
)

const SPECIFIER =
  /(?:\bfrom|\bimport\s*\(|\bimport|\brequire\s*\(|\brequire\.resolve\s*\(|\bimport\.meta\.resolve\s*\()\s*(['"])([^'"\n]+)\1/g

/** Every package that a file loads at run time: its types are stripped first, so that an import of a type alone is none. */
function packagesIn(code: string): string[] {
  const javaScript = stripTypeScriptTypes(code, { mode: 'strip' })
  return [...javaScript.matchAll(SPECIFIER)]
    .map((match) => match[2] ?? '')
    .filter((specifier) => /^[@a-z]/.test(specifier) && !specifier.startsWith('node:'))
    .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier)
    .filter((name) => !builtinModules.includes(name))
}

describe('shipped code', () => {
  test('is scanned for imports of every form', () => {
    const code = `import a from 'a'\nimport { type B } from 'b'\nimport type { C } from 'c'\nexport * from '@d/e/f.js'
      await import('g/h')\nrequire.resolve("i")\nimport.meta.resolve('j')\nimport 'k'\nimport x from './l.ts'\nimport 'node:fs'`
    expect(packagesIn(code)).toEqual(['a', 'b', '@d/e', 'g', 'i', 'j', 'k'])
    expect(SHIPPED.length).toBeGreaterThan(300)
  })

  test('imports only what `dependencies` names, as an installed package has no development tools', () => {
    const missing = SHIPPED.flatMap((file) =>
      packagesIn(readFileSync(join(ROOT, file), 'utf8'))
        .filter((name) => !(name in dependencies))
        .map((name) => `${file} imports ${name}`),
    )
    expect(missing).toEqual([])
  })
})
