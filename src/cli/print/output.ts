import type { Command } from 'commander'
import { EXIT } from './exit-codes.ts'
import { screen, wrapped } from './screen.ts'

/**
 * Output of a command. Results go to standard output, progress to standard error. With `--json` every line of standard
 * output is one JSON object with an `event` (docs/schemas/output-line.schema.json).
 */
export interface Output {
  readonly json: boolean
  readonly quiet: boolean
  readonly verbose: boolean
  /** Prints a line for people during the work; silent with --quiet. */
  readonly say: (line: string) => void
  /** Shows on a terminal, at once, that the command has started. */
  starting(): void
  /** Shows one live line on a terminal; null removes it. */
  live(line: string | null): void
  /** An event of the work; without --json its text, if any, goes to standard error. */
  event(name: string, fields: () => object, text?: string): void
  /** A result. `fields` are its JSON. A command that has always printed the object alone omits `event`. */
  result(text: string, fields: () => object): void
}

interface OutputFlags {
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
}

/** Adds --json, --quiet and --verbose to a command. */
export function addOutput(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option('--json', 'print JSON on standard output, one object per line')
    .option('-q, --quiet', 'print errors only')
    .option('-v, --verbose', 'also print each document, and stack traces')
}

export function outputOf(command: Command): Output {
  const { json = false, quiet = false, verbose = false } = command.opts<OutputFlags>()
  const print = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`)
  return {
    json,
    quiet,
    verbose,
    say(line) {
      if (json) print({ event: 'note', message: line })
      else if (!quiet) screen.print(line)
    },
    live(line) {
      if (!json && !quiet) screen.show(line === null ? [] : [line])
    },
    starting() {
      if (json || quiet || !screen.isTerminal) return
      // A fast exit must not leave the line before the next prompt. After the work installs its handler, it handles
      // signals.
      process.once('exit', () => screen.clear())
      process.once('SIGINT', () => {
        if (process.listenerCount('SIGINT') === 0) process.exit(EXIT.interrupted)
      })
      screen.show(['starting'])
    },
    event(name, fields, text) {
      if (json) print({ event: name, ...fields() })
      else if (!quiet && text !== undefined) screen.print(text, screen.isLog ? { event: name, ...fields() } : {})
    },
    result(text, fields) {
      if (json || (screen.isLog && !process.stdout.isTTY)) print(fields())
      else if (!quiet && text !== '') {
        const { isTTY, columns } = process.stdout
        process.stdout.write(`${isTTY && columns > 0 ? wrapped(text.trimEnd(), columns) : text.trimEnd()}\n`)
      }
    },
  }
}
