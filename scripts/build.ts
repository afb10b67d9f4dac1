// Makes dist/ for the package: program and library in a few JavaScript files, the library's types, and the notices of
// third parties. Node strips types from files of a checkout, but not from those of a package. It also loads a few files
// faster than eight hundred.
import { mkdir, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { bundleProgram } from './bundle-program.ts'
import { writeDeclarations } from './declarations.ts'
import { writeDependencies } from './release/third-parties.ts'

const DIST = resolve(import.meta.dirname, '../dist')

await rm(DIST, { recursive: true, force: true })
await mkdir(DIST)
const packages = await bundleProgram(DIST, { children: true, library: true })
const modules = ['main', 'langchain', 'llamaindex'].map((name) => `src/library/${name}.ts`)
const named = await writeDeclarations(modules, `${DIST}/types`)
await writeDependencies({ ...packages, outside: [...packages.outside, ...named] }, DIST)
