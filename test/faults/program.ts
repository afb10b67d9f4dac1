import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { type Mutant, MUTANTS, type Patch } from './mutants.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const CACHE = join(ROOT, 'node_modules/.cache/sluice')

/** What the campaign starts. */
export interface Program extends AsyncDisposable {
  readonly path: string
  /** Where Node keeps it compiled, once for all processes of a campaign. */
  readonly compileCache: string
}

/**
 * The program as it is, or with a mistake planted, all its modules in one file: a campaign starts thousands of
 * processes, and loading eight hundred modules one by one is most of what each of them does.
 */
export async function bundledProgram(mutant: Mutant | null): Promise<Program> {
  await mkdir(CACHE, { recursive: true })
  // Below node_modules, where packages that stay outside of the bundle are found.
  const folder = await mkdtemp(join(CACHE, 'fault-program-'))
  const bundle = await rolldown({
    input: join(ROOT, 'src/cli/main.ts'),
    cwd: ROOT,
    platform: 'node',
    external: (id) => id.endsWith('.node') || /^@(llamaindex|firecrawl|tesseract)/.test(id),
    plugins: mutant === null ? [] : [planted(MUTANTS[mutant])],
    logLevel: 'silent',
  })
  // All named as modules: of a `.js` file Node first has to find out what it is.
  const names = { entryFileNames: 'main.mjs', chunkFileNames: '[name]-[hash].mjs' }
  await bundle.write({ dir: folder, format: 'esm', ...names })
  await bundle.close()
  await cp(join(ROOT, 'src/gate/lua'), join(folder, 'lua'), { recursive: true })
  const compileCache = join(folder, 'compiled')
  return {
    path: join(folder, 'main.mjs'),
    compileCache,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A text that is not there any more is an error: the mutant would test nothing. */
function planted(patches: readonly Patch[]) {
  const open = new Set(patches)
  return {
    name: 'planted mistakes',
    transform(code: string, id: string): string {
      let text = code
      for (const patch of patches.filter(([file]) => id.endsWith(file))) {
        const [file, from, to] = patch
        if (!text.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}: mend this mutant`)
        text = text.replace(from, () => to)
        open.delete(patch)
      }
      return text
    },
    buildEnd(error?: Error): void {
      if (error === undefined && open.size > 0) throw new Error(`not in the program: ${[...open].join(', ')}`)
    },
  }
}
