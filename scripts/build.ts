// Makes dist/ for the package: Node strips types from files of a checkout, but not from those of a package. dist/ has
// the shape of the checkout (its package.json maps #src/… as ours does), with the types gone and .ts called .js.
// Types become blanks, so that a line and column in a stack trace are those of the source.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')
const FOLDERS = ['config', 'src', 'workers']

/** A quoted path to a file of ours: `'./x.ts'`, `"#src/a/b.ts"`. */
const OWN_PATH = /(['"])((?:#(?:src|config|workers)|\.{1,2})\/[\w./-]+)\.ts\1/g

/** The JavaScript of a source file. Throws when it names a file of ours that is not there. */
function javaScript(file: string): string {
  const code = stripTypeScriptTypes(readFileSync(join(ROOT, file), 'utf8'), { mode: 'strip' })
  return code.replace(OWN_PATH, (_, quote: string, path: string) => {
    const target = path.startsWith('#') ? path.slice(1) : join(dirname(file), path)
    if (!existsSync(join(ROOT, `${target}.ts`))) throw new Error(`${file} names ${path}.ts, which is not there`)
    return `${quote}${path}.js${quote}`
  })
}

rmSync(DIST, { recursive: true, force: true })
for (const folder of FOLDERS) {
  for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name).slice(ROOT.length + 1)
    mkdirSync(join(DIST, dirname(file)), { recursive: true })
    if (file.endsWith('.ts')) writeFileSync(join(DIST, file.replace(/\.ts$/, '.js')), javaScript(file))
    else cpSync(join(ROOT, file), join(DIST, file))
  }
}

const { name, version, type, imports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
  string,
  unknown
>
writeFileSync(
  join(DIST, 'package.json'),
  `${JSON.stringify({ name, version, private: true, type, imports }, null, 2)}\n`,
)
