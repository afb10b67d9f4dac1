#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { configCommand } from './config.ts'
import { engineCommand } from './engine.ts'
import { EXIT } from './exit-codes.ts'
import { failuresCommand } from './failures.ts'
import { pauseCommand, resumeCommand } from './pause.ts'
import { planCommand } from './plan.ts'
import { gcCommand } from './gc.ts'
import { renderCommand } from './render.ts'
import { retryCommand } from './retry.ts'
import { verifyCommand } from './verify.ts'
import { runCommand } from './run.ts'
import { statusCommand } from './status.ts'
import { isForPeople } from './usage-error.ts'
import { watchCommand } from './watch.ts'
import { workCommand } from './work.ts'

/** The package file lies two folders up in a checkout (`src/cli`) and three in a build (`dist/src/cli`). */
function packageVersion(): string {
  for (const up of ['../../package.json', '../../../package.json']) {
    try {
      const parsed: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8'))
      if (typeof parsed === 'object' && parsed !== null && 'version' in parsed) return String(parsed.version)
    } catch {
      // Not there: the other layout.
    }
  }
  return 'unknown'
}

const program = new Command('sluice')
  .description('Turns archives of documents into Markdown, pages and layout blocks; each paid for once, none lost.')
  .version(packageVersion())
  .showHelpAfterError('(--help lists what can be given)')
  .exitOverride()
  .addCommand(runCommand())
  .addCommand(planCommand())
  .addCommand(watchCommand())
  .addCommand(workCommand())
  .addCommand(engineCommand())
  .addCommand(configCommand())
  .addCommand(statusCommand())
  .addCommand(failuresCommand())
  .addCommand(retryCommand())
  .addCommand(verifyCommand())
  .addCommand(renderCommand())
  .addCommand(gcCommand())
  .addCommand(pauseCommand())
  .addCommand(resumeCommand())

for (const command of program.commands) command.exitOverride()

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCodeFor(error)
}

/** Commander has said what was wrong by itself; what a person can mend is one sentence; anything else is a bug. */
function exitCodeFor(error: unknown): number {
  if (typeof error === 'object' && error !== null && 'exitCode' in error && 'code' in error) {
    return error.exitCode === 0 ? EXIT.allDone : EXIT.usage
  }
  if (isForPeople(error)) process.stderr.write(`sluice: ${error.message}\n`)
  else process.stderr.write(`sluice: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return EXIT.usage
}
