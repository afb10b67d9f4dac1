import { createEngine, type Engine } from '@sluice/engine'
import type { EngineOptions } from '@sluice/engine'
import { childEnvironment } from '#config/child-environment.ts'
import { ignoresHangUp } from '#config/environment.ts'
import { isAnotherCtrlC, STOP_SIGNALS } from '../process/lifecycle.ts'

const EXIT_AFTER_MS = 200

interface Serving {
  /** True if the end of standard input also ends the engine, at once. */
  readonly exitWithParent: boolean
  /** Grace period of requests in flight after a signal, in ms. */
  readonly graceMs: number
}

/**
 * Serves the engine until a signal comes. When it listens it writes one line to stdout,
 * `{"ready":true,"url":"http://…"}`; its log goes to stderr. After a signal requests in flight finish, and new ones are
 * refused; a second Ctrl-C cuts them off. With `exitWithParent` the end of its stdin has the same effect. Stdin ends
 * even if SIGKILL ended the parent process. An engine that cannot start gives the reason in one sentence, to stderr and
 * as `{"ready":false,"reason":"…"}`, and ends with exit code 1. An address that the system refuses is an error of the
 * command.
 *
 * @throws the error of the system, without `exitWithParent`
 */
export async function serveEngine(options: EngineOptions, { exitWithParent, graceMs }: Serving): Promise<void> {
  // The parent was killed and reads neither stream: the engine shuts down in order instead of failing with that error.
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
    // The parent process reads the line before the exit reaches it.
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
