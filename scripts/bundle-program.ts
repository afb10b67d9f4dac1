import { cp, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join, resolve } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'

const ROOT = resolve(import.meta.dirname, '..')

const MAIN = { main: 'src/cli/main.ts' }

/** Entry points of child processes, in one folder with all chunks: the parent finds each in its folder. */
export const CHILDREN = {
  engine: 'workers/engine/engine.ts',
  'convert-child': 'packages/engine/src/children/convert-child.ts',
  'mail-child': 'packages/engine/src/mail/mail-child.ts',
  'wrap-image-child': 'packages/engine/src/pages/wrap-image-child.ts',
  'page-count-child': 'packages/engine/src/pages/page-count-child.ts',
  'draw-page-child': 'packages/engine/src/pages/draw-page-child.ts',
  'crop-figures-child': 'packages/engine/src/pages/crop-figures-child.ts',
  'render-child': 'src/view/render-child.ts',
  'cut-child': 'src/cut/cut-child.ts',
  'watch-thread': 'src/cut/watch-thread.ts',
}

/**
 * Entry points of the library (docs/reference/library.md), in the folder of the program: both share files and children.
 */
const LIBRARY = {
  library: 'src/library/main.ts',
  langchain: 'src/library/langchain.ts',
  llamaindex: 'src/library/llamaindex.ts',
}

/** Packages that load files from their folder. */
const STAY_OUTSIDE = /^(?:@llamaindex|@firecrawl|@tesseract|@neslinesli93|onnxruntime-node|tinypool|cld3-asm|@jsquash)/

/** Megabytes of data. The package contains only the used part, and installs fewer megabytes. */
const STAY_OUTSIDE_OF_CHECKOUT = /^(?:tinyld|gpt-tokenizer)/

export interface BundleOptions {
  readonly plugins?: readonly Plugin[]
  /** True to add the engine, and the children that convert, count or cut: twice the work. */
  readonly children?: boolean
  /** True to add the entry points of the library. */
  readonly library?: boolean
}

export interface BundledPackages {
  /** Names of the packages that the bundle loads. */
  readonly outside: readonly string[]
  /** Folders of the packages whose code is in the bundle. */
  readonly inside: readonly string[]
}

/**
 * Writes the program, changed by `plugins` if given, to an existing folder. Node must find the external packages from
 * there. Bundles eight hundred modules into a few files. Its entry points are `main.js` and, with `children`,
 * `engine.js`.
 */
export async function bundleProgram(
  folder: string,
  { plugins = [], children = false, library = false }: BundleOptions,
): Promise<BundledPackages> {
  // Threads cost more than they save for a small bundle: they would take half of the time.
  process.env['RAYON_NUM_THREADS'] ??= '1'
  const build = await rolldown({
    input: { ...MAIN, ...(children ? CHILDREN : {}), ...(library ? LIBRARY : {}) },
    cwd: ROOT,
    platform: 'node',
    // The tsconfig of this checkout extends a development tool, which a production set-up lacks.
    tsconfig: false,
    external: (id) => id.endsWith('.node') || STAY_OUTSIDE.test(id) || (!library && STAY_OUTSIDE_OF_CHECKOUT.test(id)),
    plugins: [
      ...plugins,
      ...(library ? [scriptsAreInside, runtimeOfPlatform] : []),
      childrenAreJavaScript,
      builtinsByName,
      escaped,
    ],
    logLevel: 'silent',
  })
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await build.close()
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await cp(join(ROOT, 'packages/limiter/src/lua'), join(folder, 'lua'), { recursive: true })
  await cp(join(ROOT, 'src/view/server/assets'), join(folder, 'assets'), { recursive: true })
  const chunks = output.filter((file) => file.type === 'chunk')
  return {
    outside: packagesIn(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])),
    inside: packagesIn(chunks.flatMap(({ moduleIds }) => moduleIds.filter((id) => id.includes(MODULES)))),
  }
}

const MODULES = '/node_modules/'

/** Names of the packages, or the folders from the last `node_modules` of a path on. */
function packagesIn(ids: readonly string[]): readonly string[] {
  const names = ids.map((id) => {
    const start = id.lastIndexOf(MODULES)
    const folder = start === -1 ? '' : id.slice(0, start + MODULES.length)
    return folder + (/^(?:@[^/]+\/)?[^/]+/.exec(id.slice(folder.length))?.[0] ?? '')
  })
  return [...new Set(names)].filter((name) => /^[@a-z/]/.test(name) && !isBuiltin(name) && !name.endsWith('.js')).sort()
}

/** The package does not install these packages: its files contain their code. */
const scriptsAreInside: Plugin = {
  name: 'scripts are inside',
  transform: (code: string, id: string) =>
    id.endsWith('/check-converters.ts') ? code.replace('import.meta.resolve(specifier)', 'specifier') : null,
}

/** Each platform has a separate package (release/runtimes.ts). */
const runtimeOfPlatform: Plugin = {
  name: 'runtime of the platform',
  transform: (code: string, id: string) =>
    id.endsWith('/line-models.ts')
      ? code.replace("import('onnxruntime-node')", 'import(`sluice-onnxruntime-${process.platform}-${process.arch}`)')
      : null,
}

/**
 * Matches the build of the package: `new URL('./cut-child.ts', import.meta.url)` names a file that the bundle calls
 * `.js`.
 */
const childrenAreJavaScript: Plugin = {
  name: 'children are JavaScript',
  transform: (code: string) =>
    code.replaceAll(/new URL\('(\.\/[\w-]+)\.ts', import\.meta\.url\)/g, "new URL('$1.js', import.meta.url)"),
}

/**
 * To link an import of a built-in module, Node reads every export, and loads its lazy dependencies: 50 ms for
 * `node:http`. A lookup by name loads only the used ones.
 */
const builtinsByName: Plugin = {
  name: 'builtins by name',
  renderChunk: (code: string) =>
    code.replaceAll(
      /^import (?:\* as )?([\w$]+)?(?:, )?(\{[^}]*\})? from "([\w:/]+)";$/gm,
      (line, whole: string | undefined, some: string | undefined, id: string) => {
        if (!isBuiltin(id)) return line
        const module = `globalThis.process.getBuiltinModule("${id}")`
        const parts = [
          ...(whole === undefined ? [] : [whole]),
          ...(some === undefined ? [] : [some.replaceAll(' as ', ': ')]),
        ]
        return `var ${parts.map((part) => `${part} = ${module}`).join(', ')};`
      },
    ),
}

/** With a single character above Latin-1 Node stores a file at two bytes per character, and reads it a tenth slower. */
const escaped: Plugin = {
  name: 'escaped',
  renderChunk: (code: string) =>
    code.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
}
