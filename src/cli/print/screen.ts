import { hostname } from 'node:os'
import { environment } from '#config/environment.ts'
import { packageVersion } from '#config/package-version.ts'
import { runId } from '#src/observe/run-id.ts'

/** Commands that keep a log. */
const LOGGING = new Set(['run', 'watch', 'work', 'retry'])

/** Log levels that include a message of the terminal. */
const TELLING = new Set(['info', 'debug', 'trace'])

/**
 * True if the log goes to standard error, according to command line and environment. Messages are then lines of the
 * log: a container's output is JSON from the first line to the last.
 */
function logIsOutput(argv: readonly string[] = process.argv.slice(2)): boolean {
  if (!LOGGING.has(argv[0] ?? '')) return false
  const at = argv.findLastIndex((word) => word === '--log-file' || word.startsWith('--log-file='))
  if (at === -1) return environment()['SLUICE_LOG_FILE'] === '-'
  return argv[at] === '--log-file=-' || (argv[at] === '--log-file' && argv[at + 1] === '-')
}

/** A line of the log, as `openLog` writes it; null if the level omits it. */
function logLine(level: 'info' | 'error', message: string, fields: object = {}): string | null {
  const least = environment()['SLUICE_LOG_LEVEL'] ?? 'info'
  if (least === 'silent' || (level === 'info' && !TELLING.has(least))) return null
  const time = new Date().toISOString()
  const base = { level, time, host: hostname(), pid: process.pid, run: runId(), version: packageVersion() }
  return JSON.stringify({ ...base, ...fields, msg: message })
}

/** A command for pasting gets a separate line, and stays in one piece. */
const COMMAND = /^\s*(?:\S*\/)?(?:npx )?sluice \w/

/**
 * Breaks lines at spaces to fit a terminal of `columns`; indents continuation lines by two. Words longer than a line,
 * tables and commands are left to the terminal.
 */
export const wrapped = (text: string, columns: number): string =>
  text
    .split('\n')
    .flatMap((line) =>
      line.length <= columns || COMMAND.test(line) || /[│─]/.test(line) ? line : broken(line, columns),
    )
    .join('\n')

function broken(line: string, columns: number): string[] {
  const indent = `${/^ */.exec(line)?.[0] ?? ''}  `
  const lines: string[] = []
  let current = ''
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    if (current !== '' && current.length + 1 + word.length > columns) {
      lines.push(current)
      current = `${indent}${word.trimStart()}`
    } else {
      current = current === '' ? word : `${current} ${word}`
    }
  }
  return [...lines, current]
}

/** Width of a character on a terminal: East Asian characters and emoji take two columns. */
const widthOf = (character: string): number => {
  const code = character.codePointAt(0) ?? 0
  return (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xffdc) || code >= 0x1f300 ? 2 : 1
}

/** A line cut to `columns`, with an ellipsis if text is missing. */
export function fit(line: string, columns: number): string {
  let width = 0
  let kept = ''
  for (const character of line) {
    width += widthOf(character)
    if (width > columns) return `${kept.slice(0, -1)}…`
    kept += character
  }
  return line
}

const UP = '\u001b[1A'
const CLEAR_DOWN = '\u001b[0J'

/**
 * Standard error for people: messages one below the other, and under them a few live lines, redrawn by overwriting. A
 * message never lands in a live line, and a live line never covers a message. There are no live lines without a
 * terminal, or if the log goes to standard error: each message is then a line of the log.
 */
class Screen {
  readonly #stream: NodeJS.WriteStream
  #live: readonly string[] = []
  #isLog = logIsOutput()

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
  }

  /** True if messages are lines of the log. */
  get isLog(): boolean {
    return this.#isLog
  }

  /** Turns messages into lines of the log from now on: a settings file sends the log to standard error. */
  becomeLog(): void {
    this.clear()
    this.#isLog = true
  }

  get isTerminal(): boolean {
    return !this.#isLog && this.#stream.isTTY && process.stderr.columns !== 0 && environment()['TERM'] !== 'dumb'
  }

  get columns(): number {
    return this.#stream.columns || 80
  }

  /** Writes a message above the live lines; the log adds `fields`. */
  print(message: string, fields: object = {}, level: 'info' | 'error' = 'info'): void {
    if (this.#isLog) {
      const line = logLine(level, message, fields)
      if (line !== null) this.#stream.write(`${line}\n`)
      return
    }
    const live = this.#live
    this.#erase()
    this.#stream.write(`${this.isTerminal ? wrapped(message, this.columns) : message}\n`)
    this.#draw(live)
  }

  /** Replaces the live lines. */
  show(lines: readonly string[]): void {
    if (!this.isTerminal) return
    this.#erase()
    this.#draw(lines)
  }

  /** Removes the live lines. */
  clear(): void {
    this.#erase()
  }

  #erase(): void {
    if (this.#live.length === 0) return
    this.#stream.write(`\r${UP.repeat(this.#live.length - 1)}${CLEAR_DOWN}`)
    this.#live = []
  }

  /** The last line has no line break: the terminal does not scroll. The last column stays empty, or it would wrap. */
  #draw(lines: readonly string[]): void {
    if (lines.length > 0) this.#stream.write(lines.map((line) => fit(line, this.columns - 1)).join('\n'))
    this.#live = lines
  }
}

/** The terminal of this process. */
export const screen = new Screen(process.stderr)
