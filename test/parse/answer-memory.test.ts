import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { AnswerMemory } from '#src/kit/answer-memory.ts'
import { HttpParser } from '#src/parse/http-parser.ts'
import { parseRequest } from '../support/parse-request.ts'
import { Random } from '../support/random.ts'
import { parsedReply, type Reply, startScriptedService } from '../support/scripted-service.ts'
import { after, takes } from '../support/wait.ts'

const MEGABYTE = 1024 * 1024
const never = new AbortController().signal

/** As a service sends it, and how much it is after decompression. */
function drawnReply(random: Random): { readonly reply: Reply; readonly bytes: number } {
  const body = Buffer.from(JSON.stringify(parsedReply('x'.repeat(random.below(MEGABYTE))).body))
  const packed = random.next() < 0.5
  const reply = packed ? { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } } : { body }
  return { reply: { ...reply, delayMs: random.below(20) }, bytes: body.length + (packed ? gzipSync(body).length : 0) }
}

describe('the answer memory with concurrent answers', () => {
  test('is bounded, makes answers wait on the connection, and receives them completely (random draws)', async () => {
    const random = new Random(20_261_122)
    const drawn = Array.from({ length: 24 }, () => drawnReply(random))
    const largest = Math.max(...drawn.map(({ bytes }) => bytes))
    await using service = await startScriptedService({ answers: drawn.map(({ reply }) => reply) })
    await using parser = new HttpParser({
      baseUrl: new URL(service.url),
      apiKey: null,
      concurrency: 40,
      userAgent: 'test',
    })
    const memory = new AnswerMemory(1.5 * MEGABYTE)
    const kinds = await Promise.all(
      drawn.map(async (_, at) => {
        using hold = memory.hold()
        const verdict = await parser.parse({ ...parseRequest(`document ${at}`), hold }, never)
        // As long as its outputs are made and written.
        await takes(30)
        return verdict.kind
      }),
    )
    expect(new Set(kinds)).toEqual(new Set(['parsed']))
    expect(memory.peakBytes).toBeLessThanOrEqual(1.5 * MEGABYTE + largest)
    // The parser as it was held all of them at once.
    expect(drawn.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(3 * memory.peakBytes)
    expect(memory.usedBytes).toBe(0)
  })

  test('makes a small body that decompresses to a large one wait for free memory', async () => {
    const bomb = gzipSync(JSON.stringify(parsedReply('x'.repeat(6 * MEGABYTE)).body))
    const answers = Array.from({ length: 3 }, () => ({ body: bomb, headers: { 'content-encoding': 'gzip' } }))
    await using service = await startScriptedService({ answers })
    const options = { baseUrl: new URL(service.url), apiKey: null, concurrency: 4, userAgent: 'test' }
    await using parser = new HttpParser(options)
    const memory = new AnswerMemory(MEGABYTE)
    const verdicts = await Promise.all(
      answers.map(async (_, at) => {
        using hold = memory.hold()
        return (await parser.parse({ ...parseRequest(`document ${at}`), hold }, never)).kind
      }),
    )
    expect(verdicts).toEqual(['parsed', 'parsed', 'parsed'])
    expect(memory.peakBytes).toBeLessThan(8 * MEGABYTE)
  })

  test('does not count a wait for free memory against the timeout', async () => {
    await using service = await startScriptedService({ answers: [parsedReply('x'.repeat(2 * MEGABYTE))] })
    const options = { baseUrl: new URL(service.url), apiKey: null, concurrency: 4, userAgent: 'test' }
    await using parser = new HttpParser({ ...options, timeoutMs: () => 900 })
    const memory = new AnswerMemory(10)
    const other = memory.hold()
    other.tryGrow(100)
    using _released = after(1_300, () => other.giveBack())
    using hold = memory.hold()
    const { kind } = await parser.parse({ ...parseRequest('a document'), hold }, never)
    expect([kind, memory.usedBytes > 2 * MEGABYTE]).toEqual(['parsed', true])
  })

  test('ends the wait of an aborted answer at once', async () => {
    await using service = await startScriptedService({ answers: [parsedReply('x'.repeat(2 * MEGABYTE))] })
    const options = { baseUrl: new URL(service.url), apiKey: null, concurrency: 4, userAgent: 'test' }
    await using parser = new HttpParser(options)
    const memory = new AnswerMemory(10)
    using other = memory.hold()
    other.tryGrow(100)
    using hold = memory.hold()
    const cut = new AbortController()
    using _stopped = after(300, () => cut.abort(new Error('stopped')))
    await expect(parser.parse({ ...parseRequest('a document'), hold }, cut.signal)).rejects.toThrow('stopped')
    hold.giveBack()
    expect(memory.usedBytes).toBe(100)
  })
})
