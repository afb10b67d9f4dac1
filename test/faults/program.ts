import { cp, mkdtemp, mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const ROOT = resolve(import.meta.dirname, '../..')
const CACHE = join(ROOT, 'node_modules/.cache/sluice')

/** What the campaign starts. */
export interface Program extends AsyncDisposable {
  readonly path: string
  /** Modules of `preloads/` that every process loads first. */
  readonly preloads: readonly string[]
}

/** A mutant: the program's sources, one of which a preload changes as it is loaded. */
export function mutatedProgram(mutant: string): Program {
  return { path: join(ROOT, 'src/cli/main.ts'), preloads: [`${mutant}.ts`], [Symbol.asyncDispose]: async () => {} }
}

/**
 * The program as it is, with all its modules in one file: a campaign starts thousands of processes, and loading eight
 * hundred modules one by one is most of what each of them does.
 */
export async function bundledProgram(): Promise<Program> {
  await mkdir(CACHE, { recursive: true })
  // Below node_modules, where packages that stay outside of the bundle are found.
  const folder = await mkdtemp(join(CACHE, 'fault-program-'))
  const bundle = await rolldown({
    input: join(ROOT, 'src/cli/main.ts'),
    cwd: ROOT,
    platform: 'node',
    external: (id) => id.endsWith('.node') || /^@(llamaindex|firecrawl|tesseract)/.test(id),
    logLevel: 'silent',
  })
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: 'main.mjs' })
  await bundle.close()
  await cp(join(ROOT, 'src/gate/lua'), join(folder, 'lua'), { recursive: true })
  return {
    path: join(folder, 'main.mjs'),
    preloads: [],
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
