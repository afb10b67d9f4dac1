// usage: prune-runtimes.mjs   Removes the builds of ONNX Runtime for other machines than this one: 220 of its 288 MB. Its
// package brings all of them. Plain JavaScript for any Node: it runs before the set-up is done.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const BUILDS = join('node_modules', 'onnxruntime-node', 'bin', 'napi-v6')

for (const system of existsSync(BUILDS) ? readdirSync(BUILDS) : []) {
  for (const processor of readdirSync(join(BUILDS, system))) {
    if (system === process.platform && processor === process.arch) continue
    rmSync(join(BUILDS, system, processor), { recursive: true })
  }
}
