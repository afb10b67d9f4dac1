import { once } from 'node:events'
import { expect, test } from 'vitest'
import { Events } from '#src/events.ts'
import { type EngineProcess, EngineRefused } from '#workers/engine/engine-process.ts'
import { EngineSupervisor } from '#workers/engine/engine-supervisor.ts'

const never = new AbortController().signal

/** A life that lasts until it is disposed of. */
function life(url: string): EngineProcess {
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  return { url, ended, [Symbol.asyncDispose]: async () => resolve('exit code 0') }
}

test('the engine starts once, before the first request', async () => {
  let starts = 0
  const start = async () => life(`http://127.0.0.1:${++starts}`)
  await using engine = new EngineSupervisor({ start, events: new Events() })
  expect(starts).toBe(0)
  expect(await Promise.all([engine.ready(never), engine.ready(never), engine.ready(never)])).toEqual([null, null, null])
  expect([starts, engine.url]).toEqual([1, 'http://127.0.0.1:1'])
})

test('an engine that reports a failed start is not restarted, and halts as a broken installation', async () => {
  let starts = 0
  const start = async (): Promise<EngineProcess> => {
    starts += 1
    throw new EngineRefused('@firecrawl/anydoc is missing')
  }
  const events = new Events()
  const halted = once(events, 'run:halted')
  await using engine = new EngineSupervisor({ start, events })
  const message = 'the embedded engine cannot start: @firecrawl/anydoc is missing'
  expect(await engine.ready(never)).toBe(message)
  expect(await halted).toEqual([{ cause: 'installation', message }])
  expect([await engine.ready(never), starts]).toEqual([message, 1])
})

test('a wait for an engine that does not start ends on abort', async () => {
  const stop = new AbortController()
  const start = async (cut: AbortSignal): Promise<EngineProcess> => {
    await once(cut, 'abort')
    throw cut.reason
  }
  await using engine = new EngineSupervisor({ start, events: new Events() })
  const waiting = engine.ready(stop.signal)
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
})
