import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DependencyUnusable } from '#src/document/dependency.ts'
import { describeSystemError } from '#src/kit/describe-system-error.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { SourceUnusable } from '#src/document/source-unusable.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import { EXIT } from './exit-codes.ts'
import { oneLine } from './format.ts'
import { screen } from './screen.ts'

/** A mistake that the user can correct: printed as its message alone, without a stack. Exit code 1. */
export class UsageError extends Error {
  override name = 'UsageError' as const
}

/** Ends a command whose errors are on the screen already, one per pipeline. */
export class AlreadyReported extends Error {
  override name = 'Reported' as const
}

const COMPLETE = [UsageError, SetupError, StoreRefused, StoreUnusable, SourceUnusable, DependencyUnusable]

/**
 * Text of an error for the terminal: the message of a complete one, else one sentence about the system's error. Null
 * for a bug: no prepared sentence explains it.
 */
export function explanationOf(error: unknown): string | null {
  if (error instanceof Error && COMPLETE.some((kind) => error instanceof kind)) return error.message
  return describeSystemError(error)
}

/** The sentence about an error after which the other pipelines continued. */
export const messageOf = (error: unknown): string =>
  explanationOf(error) ?? (error instanceof Error ? error.message : String(error))

/**
 * Reports on standard error why a command ended, in one paragraph, and returns the exit code. Commander reports its
 * errors before. The stack trace of a bug goes to a file, never to the terminal.
 */
export function reportError(error: unknown): number {
  // The reader of the output has closed the pipe, as in `sluice run --help | head`: this is not an error.
  if (isClosedPipe(error)) return EXIT.allDone
  if (error instanceof AlreadyReported) return EXIT.usage
  if (isCommanders(error)) return error.exitCode === 0 ? EXIT.allDone : EXIT.usage
  const explanation = explanationOf(error)
  const message = explanation ?? bugReport(error)
  const isVerbose = process.argv.some((word) => word === '--verbose' || word === '-v')
  const stack = isVerbose && error instanceof Error ? (error.stack ?? '') : null
  printError(message, stack === null ? {} : { stack })
  if (stack !== null && !screen.isLog) process.stderr.write(`${stack}\n`)
  return EXIT.usage
}

/** Prints an error on the screen, and with `--json` as an event. `pipeline`: the affected one, if there are several. */
export function printError(message: string, fields: object, pipeline: string | null = null): void {
  const named = pipeline === null ? {} : { pipeline }
  screen.clear()
  if (process.argv.includes('--json'))
    process.stdout.write(`${JSON.stringify({ event: 'error', ...named, message })}\n`)
  screen.print(`${pipeline ?? 'sluice'}: ${message}`, { ...named, ...fields }, 'error')
}

/** Writes warnings of Node and of libraries as lines of the log if the log goes to standard error. */
export function reportWarnings(): void {
  const [printAsNode] = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    // The launcher disables those of type stripping and similar features.
    if (warning.name === 'ExperimentalWarning') return
    if (screen.isLog) screen.print(`${warning.name}: ${oneLine(warning.message)}`)
    else printAsNode?.(warning)
  })
}

/** Unhandled errors end the process like any other, with one paragraph. */
export function reportUncaught(): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      process.exit(reportError(error))
    })
  }
}

const isClosedPipe = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EPIPE' && 'syscall' in error && error.syscall === 'write'

interface CommanderError {
  readonly code: string
  readonly exitCode: number
}

const isCommanders = (error: unknown): error is CommanderError =>
  error instanceof Error && 'exitCode' in error && 'code' in error && String(error.code).startsWith('commander.')

function bugReport(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const first = message.split('\n')[0] ?? ''
  return `internal error: ${first}. Nothing is lost: run the same command again. If it happens again, report it with ${traceFile(error)}`
}

/** Writes the stack trace for the report; returns its path. */
function traceFile(error: unknown): string {
  const path = join(tmpdir(), `sluice-error-${process.pid}.txt`)
  const text = error instanceof Error ? `${error.stack ?? error.message}\ncause: ${String(error.cause)}` : String(error)
  try {
    writeFileSync(path, `${new Date().toISOString()}\n${text}\n`, { mode: 0o600 })
    return path
  } catch {
    return `its stack trace (${path} cannot be written)`
  }
}
