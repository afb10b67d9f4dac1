#!/usr/bin/env node
import { createProgram } from './program.ts'
import { reportError, reportUncaught } from './report-error.ts'

reportUncaught()

try {
  const program = await createProgram(process.argv.slice(2))
  await program.parseAsync()
} catch (error) {
  process.exitCode = reportError(error)
}
