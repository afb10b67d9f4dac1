import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')

/**
 * Writes the types of the library's entry points, and of all modules that they name, to a folder with the layout of the
 * sources. The package has neither `#src` nor `.ts`: imports become relative paths. Returns the packages that they
 * name.
 */
export async function writeDeclarations(modules: readonly string[], folder: string): Promise<readonly string[]> {
  const packages = new Set<string>()
  const emitted = await mkdtemp(join(ROOT, 'node_modules/.declarations-'))
  try {
    const project = join(emitted, 'tsconfig.json')
    await writeFile(project, JSON.stringify(projectOf(modules, emitted)))
    execFileSync(process.execPath, [await compiler(), '-p', project], { stdio: 'inherit' })
    const waiting = modules.map((path) => path.replace(/\.ts$/, '.d.ts'))
    const written = new Set<string>()
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (written.has(file)) continue
      written.add(file)
      const { text, imports } = withRelativeImports(await readFile(join(emitted, file), 'utf8'), file)
      await mkdir(dirname(join(folder, file)), { recursive: true })
      await writeFile(join(folder, file), text)
      waiting.push(...imports)
      for (const [name] of text.matchAll(OTHERS_IMPORT)) packages.add(name)
    }
    return [...packages]
  } finally {
    await rm(emitted, { recursive: true, force: true })
  }
}

/** The entry points and their imports, without tests and benches. */
const projectOf = (modules: readonly string[], outDir: string): object => ({
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: ROOT,
    outDir,
    typeRoots: [join(ROOT, 'node_modules/@types')],
    // The compiler emits no declarations of modules below node_modules, links included.
    paths: { '@sluice/*': [join(ROOT, 'packages/*/index.ts')] },
  },
  files: modules.map((path) => join(ROOT, path)),
  include: [],
})

/** The script of `.bin/tsc`. */
async function compiler(): Promise<string> {
  const link = join(ROOT, 'node_modules/.bin/tsc')
  if (!existsSync(link))
    throw new Error('the type declarations need the development tools: run sh scripts/setup.sh --dev')
  return realpath(link)
}

interface Rewritten {
  readonly text: string
  /** Imported declarations, relative to the checkout. */
  readonly imports: readonly string[]
}

/** Imports of packages, except those of Node. */
const OTHERS_IMPORT = /(?<=(?:from |import\()['"])(?!node:)(?:@[\w.-]+\/)?[\w-][\w.-]*/g

const OWN_IMPORT = /(?<=from |import\()(['"])(?:((?:#(?:src|config|workers)\/|\.{1,2}\/)[^'"]+)\.ts|@sluice\/(\w+))\1/g

const ownPath = (path: string, file: string): string =>
  path.startsWith('#') ? path.slice(1) : join(dirname(file), path)

function withRelativeImports(text: string, file: string): Rewritten {
  const imports: string[] = []
  const replaced = text.replaceAll(OWN_IMPORT, (_, quote: string, path = '', name = '') => {
    const target = name === '' ? ownPath(path, file) : `packages/${name}/index`
    imports.push(`${target}.d.ts`)
    const way = relative(dirname(file), target)
    return `${quote}${way.startsWith('.') ? way : `./${way}`}.js${quote}`
  })
  return { text: replaced, imports }
}
