import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type BundleOptions, bundleProgram } from '../../scripts/bundle-program.ts'
import type { Bundle } from './bundled.ts'

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/sluice')

/** The program in a few files, for tests that start it a thousand times. Dispose of it when all processes have ended. */
export async function bundle(options: BundleOptions = {}): Promise<Bundle> {
  await mkdir(CACHE, { recursive: true })
  const folder = await mkdtemp(join(CACHE, 'bundle-'))
  await bundleProgram(folder, options)
  return {
    main: join(folder, 'main.js'),
    engine: join(folder, 'engine.js'),
    compileCache: join(folder, 'compiled'),
    // A process that was asked to end may still be writing what it compiled.
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}
