import { createEngine, type Engine } from '@sluice/engine'
import type { EngineOptions } from '@sluice/engine'
import { childEnvironment } from '#config/child-environment.ts'
import { ignoresHangUp } from '#config/environment.ts'
import { isAnotherCtrlC, STOP_SIGNALS } from '../process/lifecycle.ts'

const EXIT_AFTER_MS = 200

interface Serving {
  /** Also the end of standard input ends it, at once. */
  readonly exitWithParent: boolean
  /** How long requests in flight may take after a signal. */
  readonly graceMs: number
}

/**
 * Serves the engine until a signal comes. When it listens it writes one line to stdout,
 * `{"ready":true,"url":"http://…"}`; its log goes to stderr. A signal lets requests in flight finish, and refuses new ones; a
 * second Ctrl-C cuts them off. With `exitWithParent` so does the end of its stdin, which comes even when the process that
 * started it was killed with SIGKILL. An engine that cannot start says why in one sentence, to stderr and as `{"ready":false,"reason":"…"}`, and ends
 * with exit code 1; an address that the system refuses is an error of the command.
 *
 * @throws the error of the system, without `exitWithParent`
 */
export async function serveEngine(options: EngineOptions, { exitWithParent, graceMs }: Serving): Promise<void> {
  // What started it was killed meanwhile and reads neither stream: the engine ends in order instead of at that error.
  const unread = Promise.withResolvers<void>()
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => unread.resolve())
  let engine: Engine
  try {
    engine = await createEngine({
      ...options,
      childEnv: childEnvironment({ web: true }),
      notify: (line) => process.stderr.write(`sluice engine: ${line}\n`),
    })
  } catch (error) {
    if (!exitWithParent && error instanceof Error && 'syscall' in error) throw error
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(`sluice engine: cannot start: ${reason}\n`)
    process.stdout.write(`${JSON.stringify({ ready: false, reason })}\n`)
    // The parent process reads the line before it hears of the exit.
    setTimeout(() => process.exit(1), EXIT_AFTER_MS)
    return
  }
  const cut = new AbortController()
  let ending = false
  const end = async (): Promise<void> => {
    if (ending) return
    ending = true
    await engine[Symbol.asyncDispose]()
    process.exit(0)
  }
  let firstAt: number | null = null
  const heard = (signal: NodeJS.Signals): void => {
    if (firstAt !== null) return isAnotherCtrlC(signal, firstAt) ? cut.abort() : undefined
    firstAt = performance.now()
    void engine.drain(graceMs, cut.signal).then(end)
  }
  for (const signal of STOP_SIGNALS) if (signal !== 'SIGHUP' || !ignoresHangUp()) process.on(signal, heard)
  void unread.promise.then(end)
  if (exitWithParent) process.stdin.resume().once('close', () => void end())
  process.stdout.write(`${JSON.stringify({ ready: true, url: engine.url })}\n`)
}
