#!/usr/bin/env node
import { platformProblem } from './platform.ts'

const problem = platformProblem({ platform: process.platform, node: process.versions.node })
if (problem === null) {
  // Loaded only now: an older Node cannot read what it finds there.
  await (await import('./program.ts')).start()
} else {
  process.stderr.write(`sluice: ${problem}\n`)
  process.exitCode = 1
}
