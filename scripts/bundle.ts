// usage: bundle.ts   Bundles the program into node_modules/.sluice, for the image: a container then needs no sources.
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { bundleProgram } from './bundle-program.ts'

const BUNDLE = resolve(import.meta.dirname, '../node_modules/.sluice')

await mkdir(BUNDLE, { recursive: true })
await bundleProgram(BUNDLE, { children: true })
