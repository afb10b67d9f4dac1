import { Dispatcher } from 'undici'
import { expect, test } from 'vitest'
import { AnswerMemory } from '#src/kit/answer-memory.ts'
import { exchange } from '#src/parse/exchange.ts'

/** Brings an answer in these chunks; undici brings an empty one at times after a pause, which no server does on demand. */
class ChunkDispatcher extends Dispatcher {
  readonly #chunks: readonly Buffer[]

  constructor(chunks: readonly Buffer[]) {
    super()
    this.#chunks = chunks
  }

  override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const controller = {
      aborted: false,
      paused: false,
      reason: null,
      abort: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
    }
    handler.onRequestStart?.(controller, null)
    handler.onResponseStart?.(controller, 200, {})
    for (const chunk of this.#chunks) handler.onResponseData?.(controller, chunk)
    handler.onResponseEnd?.(controller, {})
    return true
  }
}

test('an empty chunk while the answer memory is exhausted does not block the end of the exchange', async () => {
  const memory = new AnswerMemory(10)
  using other = memory.hold()
  other.tryGrow(100)
  using hold = memory.hold()
  const dispatcher = new ChunkDispatcher([Buffer.alloc(0)])
  const options = {
    origin: 'http://127.0.0.1',
    path: '/v2/parse',
    headers: {},
    body: { bytes: 0, content: Buffer.alloc(0), readFailure: () => null },
    timeoutMs: 60_000,
    maxAnswerBytes: 1000,
    hold,
    maySend: () => true,
  }
  const { status, body } = await exchange(dispatcher, options, new AbortController().signal)
  expect([status, body.length]).toEqual([200, 0])
})
