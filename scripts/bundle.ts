// usage: bundle.ts   Puts the program of this checkout into node_modules/.sluice, where `./sluice` takes it from as long as
// no source is newer. A start then loads a dozen files instead of eight hundred.
import { chmod, mkdir, mkdtemp, readdir, rename, rm, utimes } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { bundleProgram } from './bundle-program.ts'

const MODULES = resolve(import.meta.dirname, '../node_modules')
const BUNDLE = join(MODULES, '.sluice')

// What is edited from now on is newer than the bundle.
const begun = new Date()
await mkdir(MODULES, { recursive: true })
const staged = await mkdtemp(join(MODULES, '.sluice-'))
try {
  await bundleProgram(staged, { children: true })
  for (const name of await readdir(staged)) if (name.endsWith('.js')) await utimes(join(staged, name), begun, begun)
  // The folder of one user as it is made; in an image and in a shared checkout others run the program too.
  await chmod(staged, 0o755)
  await rm(BUNDLE, { recursive: true, force: true })
  await rename(staged, BUNDLE)
} finally {
  await rm(staged, { recursive: true, force: true })
}
