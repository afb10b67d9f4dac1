import { hostname } from 'node:os'
import { environment } from '#config/environment.ts'
import { packageVersion } from '#config/package-version.ts'
import { runId } from '#src/observe/run-id.ts'

/** Commands that keep a log. */
const LOGGING = new Set(['run', 'watch', 'work', 'retry'])

/** Levels at which a message of the terminal would be logged. */
const TELLING = new Set(['info', 'debug', 'trace'])

/**
 * Whether the log goes to standard error, as far as command line and environment say: then a message is a line of the
 * log, so that a container's output is JSON from the first line to the last.
 */
function logIsOutput(argv: readonly string[] = process.argv.slice(2)): boolean {
  if (!LOGGING.has(argv[0] ?? '')) return false
  const at = argv.findLastIndex((word) => word === '--log-file' || word.startsWith('--log-file='))
  if (at === -1) return environment()['SLUICE_LOG_FILE'] === '-'
  return argv[at] === '--log-file=-' || (argv[at] === '--log-file' && argv[at + 1] === '-')
}

/** A line of the log, as `openLog` writes them; null where the level leaves it out. */
function logLine(level: 'info' | 'error', message: string, fields: object = {}): string | null {
  const least = environment()['SLUICE_LOG_LEVEL'] ?? 'info'
  if (least === 'silent' || (level === 'info' && !TELLING.has(least))) return null
  const time = new Date().toISOString()
  const base = { level, time, host: hostname(), pid: process.pid, run: runId(), version: packageVersion() }
  return JSON.stringify({ ...base, ...fields, msg: message })
}

/** A command that is shown to be pasted stands on a line of its own, and stays in one piece. */
const COMMAND = /^\s*(?:\S*\/)?(?:npx )?sluice \w/

/**
 * Breaks lines at spaces, so that they fit a terminal of so many columns; what follows is indented by two. Words longer
 * than a line, tables and commands are left to the terminal.
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

/** A line cut to so many columns, with an ellipsis where something is left out. */
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
 * Standard error as a person sees it: messages one below the other, and under them a few live lines that are drawn again
 * by overwriting. A message never lands in a live line, and a live line never covers a message. Without a terminal there are
 * no live lines. Where the log goes to standard error, each message is a line of it, and there are no live lines either.
 */
class Screen {
  readonly #stream: NodeJS.WriteStream
  #live: readonly string[] = []
  #isLog = logIsOutput()

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
  }

  /** Whether messages are lines of the log. */
  get isLog(): boolean {
    return this.#isLog
  }

  /** From now on messages are lines of the log: a settings file says that it goes to standard error. */
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

  /** Writes a message above the live lines; `fields` go with it into the log. */
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

  /** Takes the live lines away. */
  clear(): void {
    this.#erase()
  }

  #erase(): void {
    if (this.#live.length === 0) return
    this.#stream.write(`\r${UP.repeat(this.#live.length - 1)}${CLEAR_DOWN}`)
    this.#live = []
  }

  /** The last line has no line break behind it, so that nothing scrolls; the last column stays empty, or it would wrap. */
  #draw(lines: readonly string[]): void {
    if (lines.length > 0) this.#stream.write(lines.map((line) => fit(line, this.columns - 1)).join('\n'))
    this.#live = lines
  }
}

/** The terminal of this process. */
export const screen = new Screen(process.stderr)
