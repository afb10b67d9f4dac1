// usage: pack.ts begin|end   Wraps `npm pack`: replaces package.json and README.md with those of the package, and
// restores those of the checkout afterwards.
import { copyFile, readFile, rename, utimes, writeFile } from 'node:fs/promises'
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { RUNTIME_PACKAGES } from './runtimes.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const KEPT = join(ROOT, 'node_modules/.packing-')
const FILES = ['package.json', 'README.md']
const OF_A_CHECKOUT = new Set(['devDependencies', 'optionalDependencies', 'allowScripts', 'workspaces'])

// A killed pack left the files of the package.
for (const file of FILES) if (existsSync(KEPT + file)) await rename(KEPT + file, join(ROOT, file))

if (process.argv[2] === 'begin') {
  const { atime, mtime } = statSync(join(ROOT, 'package.json'))
  for (const file of FILES) await copyFile(join(ROOT, file), KEPT + file)
  await utimes(`${KEPT}package.json`, atime, mtime)
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Readonly<Record<string, unknown>>
  const shipped = Object.entries(manifest).filter(([name]) => !OF_A_CHECKOUT.has(name))
  // npm reads the command after the pack from this file.
  const { postpack } = manifest['scripts'] as Readonly<Record<string, string>>
  const { dependencies, optionalDependencies } = JSON.parse(
    await readFile(join(ROOT, 'dist/dependencies.json'), 'utf8'),
  ) as Record<'dependencies' | 'optionalDependencies', Readonly<Record<string, string>>>
  // npm installs the package for the machine, if it exists.
  const runtimes = Object.fromEntries(RUNTIME_PACKAGES.map((name) => [name, manifest['version']]))
  const packed = {
    ...Object.fromEntries(shipped),
    scripts: { postpack },
    dependencies,
    optionalDependencies: { ...optionalDependencies, ...runtimes },
  }
  await writeFile(join(ROOT, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`)
  await utimes(join(ROOT, 'package.json'), atime, mtime)
  await copyFile(join(import.meta.dirname, 'README.md'), join(ROOT, 'README.md'))
}
