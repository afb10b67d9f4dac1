#!/usr/bin/env node
import { platformProblem } from './platform.ts'

const problem = platformProblem({ platform: process.platform, node: process.versions.node })
if (problem === null) {
  // Loaded after the version check: an older Node cannot parse the sources.
  await (await import('./program.ts')).start()
} else {
  process.stderr.write(`sluice: ${problem}\n`)
  process.exitCode = 1
}
