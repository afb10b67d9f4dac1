import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type BundleOptions, bundleProgram } from '../../../scripts/bundle-program.ts'

const CACHE = resolve(import.meta.dirname, '../../../node_modules/.cache/sluice')

/** What runs of the campaign start. */
export interface Program extends AsyncDisposable {
  readonly main: string
  /** Where Node keeps it compiled, once for all processes that are started from it. */
  readonly compileCache: string
}

/** The program with planted mistakes, in a few files. Dispose of it when all processes have ended. */
export async function bundle(options: BundleOptions): Promise<Program> {
  await mkdir(CACHE, { recursive: true })
  const folder = await mkdtemp(join(CACHE, 'bundle-'))
  await bundleProgram(folder, options)
  return {
    main: join(folder, 'main.js'),
    compileCache: join(folder, 'compiled'),
    // A process that was asked to end may still be writing what it compiled.
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}
