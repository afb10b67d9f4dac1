// Makes dist/ for the package: program and library in a few JavaScript files, and the library's types. Node strips types from files of a checkout, but not
// from those of a package, and loads few files sooner than eight hundred.
import { mkdir, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { bundleProgram } from './bundle-program.ts'
import { writeDeclarations } from './declarations.ts'

const DIST = resolve(import.meta.dirname, '../dist')

await rm(DIST, { recursive: true, force: true })
await mkdir(DIST)
await bundleProgram(DIST, { children: true, library: true })
const modules = ['main', 'langchain', 'llamaindex'].map((name) => `src/library/${name}.ts`)
await writeDeclarations(modules, `${DIST}/types`)
