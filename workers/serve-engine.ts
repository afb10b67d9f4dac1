import { createEngine, type Engine } from '#src/engine/create-engine.ts'
import type { EngineOptions } from '#src/engine/engine-options.ts'

const EXIT_AFTER_MS = 200

/**
 * Serves the engine until a signal comes. When it listens it writes one line to stdout,
 * `{"ready":true,"url":"http://…"}`; its log goes to stderr. SIGTERM and SIGINT end it in order; with `exitWithParent`
 * so does the end of its stdin, which comes even when the process that started it was killed with SIGKILL. An engine that
 * cannot start says why in one sentence, to stderr and as `{"ready":false,"reason":"…"}`, and ends with exit code 1.
 */
export async function serveEngine(options: EngineOptions, exitWithParent: boolean): Promise<void> {
  // What started it was killed meanwhile and reads neither stream: the engine ends in order instead of at that error.
  const unread = Promise.withResolvers<void>()
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => unread.resolve())
  let engine: Engine
  try {
    engine = await createEngine({ ...options, notify: (line) => process.stderr.write(`sluice engine: ${line}\n`) })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(`sluice engine: cannot start: ${reason}\n`)
    process.stdout.write(`${JSON.stringify({ ready: false, reason })}\n`)
    // The parent process reads the line before it hears of the exit.
    setTimeout(() => process.exit(1), EXIT_AFTER_MS)
    return
  }
  let ending = false
  const end = async (): Promise<void> => {
    if (ending) return
    ending = true
    await engine[Symbol.asyncDispose]()
    process.exit(0)
  }
  process.once('SIGTERM', () => void end())
  process.once('SIGINT', () => void end())
  void unread.promise.then(end)
  if (exitWithParent) process.stdin.resume().once('close', () => void end())
  process.stdout.write(`${JSON.stringify({ ready: true, url: engine.url })}\n`)
}
