import { createServer, type Socket } from 'node:net'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readAnswer } from '#src/client/read-answer.ts'
import { HttpParser } from '#src/parse/http-parser.ts'
import type { HttpParserOptions } from '#src/parse/http-requests.ts'
import { RequestWithdrawn } from '#src/document/request-withdrawn.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import { parseRequest } from '../support/parse-request.ts'
import { Random } from '../support/random.ts'
import {
  errorReply,
  parsedReply,
  type Reply,
  type ScriptedService,
  startScriptedService,
} from '../support/scripted-service.ts'
import { after, elapse, until } from '../support/wait.ts'
import { listen, type Listening } from '../support/listen.ts'

const never = new AbortController().signal

function parserFor(service: Pick<ScriptedService, 'url'>, more: Partial<HttpParserOptions> = {}): HttpParser {
  const baseUrl = new URL(service.url)
  return new HttpParser({ baseUrl, apiKey: 'fc-secret', concurrency: 4, userAgent: 'sluice/test', ...more })
}

async function verdictOn(reply: Reply, more: Partial<HttpParserOptions> = {}) {
  await using service = await startScriptedService({ answers: [reply] })
  await using parser = parserFor(service, more)
  return await parser.parse(parseRequest('a document'), never)
}

/** Calls `answer` for each request that came in whole; what it writes is what the client gets. */
async function rawServer(answer: (number: number, socket: Socket) => void): Promise<Listening> {
  let number = 0
  const server = createServer((socket) => {
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (!text.endsWith('--\r\n')) return
      text = ''
      answer((number += 1), socket)
    })
  })
  return listen(server)
}

function whole(markdown: string): string {
  const body = JSON.stringify({ success: true, data: { markdown } })
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

describe('the request that HttpParser sends', () => {
  test('contains options without a file name, then the file under an ASCII name, with an exact length', async () => {
    await using service = await startScriptedService()
    await using parser = parserFor(service)
    const request = parseRequest('%PDF-1.7', { formats: ['markdown', 'html'], timeout: 45_000 })
    await parser.parse(request, never)

    const [received] = service.requests
    expect(received).toMatchObject({ method: 'POST', path: '/v2/parse' })
    expect(received?.headers).toMatchObject({
      authorization: 'Bearer fc-secret',
      'user-agent': 'sluice/test',
      'content-length': expect.stringMatching(/^\d+$/),
    })
    expect(received?.headers['transfer-encoding']).toBeUndefined()
    expect(received?.parts.map(({ name, filename, headers }) => [name, filename, headers['content-type']])).toEqual([
      ['options', null, 'application/json'],
      ['file', `${request.contentHash}.pdf`, 'application/pdf'],
    ])
    expect(received?.file?.sha256).toBe(request.contentHash)
  })

  test('omits defaults from the options, including the timeout', async () => {
    await using service = await startScriptedService()
    await using parser = parserFor(service)
    await parser.parse(parseRequest('x'), never)
    await parser.parse(parseRequest('x', { parsers: [{ type: 'pdf', mode: 'ocr' }], redactPII: true }), never)
    expect(service.requests.map(({ options }) => options)).toEqual([
      {},
      { parsers: [{ type: 'pdf', mode: 'ocr' }], redactPII: true },
    ])
  })

  test('asks for more time for more pages and more bytes', async () => {
    await using service = await startScriptedService()
    await using parser = parserFor(service)
    await parser.parse({ ...parseRequest('x'), pages: 40 }, never)
    await parser.parse(parseRequest(Buffer.alloc(5_000_000), {}, 'docx'), never)
    expect(service.requests.map(({ options }) => options?.timeout)).toEqual([90_000, 50_000])
  })

  test('uses the path of the base address, and omits a missing key', async () => {
    await using service = await startScriptedService()
    await using parser = parserFor({ url: `${service.url}/proxy/` }, { apiKey: null })
    await parser.parse(parseRequest('x'), never)
    expect(service.requests[0]?.path).toBe('/proxy/v2/parse')
    expect(service.requests[0]?.headers.authorization).toBeUndefined()
    expect(parser.service).toBe(`${service.url}/proxy`)
  })

  test('streams a large document byte for byte', async () => {
    await using service = await startScriptedService()
    await using parser = parserFor(service)
    const large = parseRequest(Buffer.alloc(3 * 1024 * 1024, 'sluice'))
    expect((await parser.parse(large, never)).kind).toBe('parsed')
    expect(service.requests[0]?.file).toMatchObject({ bytes: large.bytes, sha256: large.contentHash })
  })

  test('is correct when the source reuses one buffer and the service is slow', async () => {
    const original = new Random(7).bytes(4 * 1024 * 1024)
    const sizes = new Random(8)
    async function* read(): AsyncGenerator<Uint8Array> {
      const buffer = Buffer.alloc(300_000)
      for (let at = 0; at < original.length;) {
        const length = original.copy(buffer, 0, at, at + 1 + sizes.below(buffer.length))
        at += length
        yield buffer.subarray(0, length)
      }
    }
    await using service = await startScriptedService({ readDelayMs: 2 })
    await using parser = parserFor(service)
    const request = { ...parseRequest(original), read }
    await Promise.all(Array.from({ length: 4 }, () => parser.parse(request, never)))
    expect([...service.charges]).toEqual([[request.contentHash, 4]])
  })

  test('asks for permission right before the first byte, not before it waits for a connection', async () => {
    await using service = await startScriptedService({ answers: [{ delayMs: 300 }] })
    await using parser = parserFor(service, { concurrency: 1 })
    let isMine = true
    const maySend = (): boolean => isMine
    const first = parser.parse({ ...parseRequest('first'), maySend }, never)
    const second = parser.parse({ ...parseRequest('second'), maySend }, never)
    const withdrawn = expect(second).rejects.toThrow(RequestWithdrawn)
    await until('the first request has arrived', 5_000, () => service.inFlight > 0)
    isMine = false
    expect((await first).kind).toBe('parsed')
    await withdrawn
    isMine = true
    expect((await parser.parse({ ...parseRequest('third'), maySend }, never)).kind).toBe('parsed')
    expect(service.requests.map(({ file }) => file?.content?.toString())).toEqual(['first', 'third'])
  })

  test('of a large document withholds the last bytes when its permission is withdrawn', async () => {
    await using service = await startScriptedService()
    await using parser = parserFor(service)
    let asked = 0
    const large = { ...parseRequest(Buffer.alloc(3 * 1024 * 1024, 'sluice')), maySend: () => (asked += 1) === 1 }
    await expect(parser.parse(large, never)).rejects.toThrow(RequestWithdrawn)
    expect([asked, service.charged]).toEqual([2, 0])
  })

  test('reuses an idle connection', async () => {
    await using service = await startScriptedService()
    await using parser = parserFor(service, { concurrency: 1 })
    await parser.parse(parseRequest('one'), never)
    await elapse(100, 'a connection rests for half of it')
    await parser.parse(parseRequest('two'), never)
    expect(service.connections).toBe(1)
  })
})

describe('an answer that HttpParser receives', () => {
  test('is kept byte for byte, with the id of the request', async () => {
    const body = '{ "success":true,\n "data":{"markdown":"# \\u00e9", "new": [1.0]} }'
    const verdict = await verdictOn({ body, headers: { 'x-request-id': 'req-7' } })
    expect(verdict).toMatchObject({ kind: 'parsed', answer: { requestId: 'req-7', body: Buffer.from(body) } })
  })

  test('takes the request id from metadata.scrapeId when no header has it', async () => {
    const verdict = await verdictOn(parsedReply('# Hi', { metadata: { scrapeId: 'scrape-9' } }))
    expect(verdict).toMatchObject({ kind: 'parsed', answer: { requestId: 'scrape-9' } })
  })

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('is understood when the service sends it in %s', async (encoding, compress) => {
    const json = JSON.stringify(parsedReply('# Packed').body)
    const verdict = await verdictOn({ body: compress(json), headers: { 'content-encoding': encoding } })
    expect(verdict).toMatchObject({ kind: 'parsed', answer: { body: Buffer.from(json) } })
  })

  test('is refused when it is longer than the cap, compressed or not', async () => {
    const body = Buffer.from(JSON.stringify(parsedReply('x'.repeat(50_000)).body))
    const packed = { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } }
    for (const reply of [{ body }, packed]) {
      const verdict = await verdictOn(reply, { maxAnswerBytes: 20_000 })
      expect(verdict).toMatchObject({ kind: 'rejected', failure: { code: 'bad_answer' } })
    }
  })

  test('is unusable when its encoding is damaged or unknown, and may be charged', async () => {
    for (const encoding of ['gzip', 'zstd-2', 'gzip, gzip, gzip, gzip, gzip'])
      expect(await verdictOn({ body: 'plain', headers: { 'content-encoding': encoding } })).toMatchObject({
        kind: 'refused',
        failure: { code: 'bad_answer', message: expect.stringMatching(/content encoding|damaged gzip data/) },
        unusable: expect.any(String),
      })
  })

  const german = '{"success":true,"data":{"markdown":"Grüße"}}'
  test.each<[string, Reply]>([
    [
      'two content encodings',
      { body: brotliCompressSync(gzipSync(german)), headers: { 'content-encoding': 'gzip, br' } },
    ],
    ['zstd', { body: zstdCompressSync(german), headers: { 'content-encoding': 'zstd' } }],
    ['a BOM', { body: Buffer.from(`\uFEFF${german}`) }],
    [
      'ISO 8859-1',
      { body: Buffer.from(german, 'latin1'), headers: { 'content-type': 'application/json; charset=iso-8859-1' } },
    ],
    [
      'UTF-8 that says it is ISO 8859-1',
      { body: german, headers: { 'content-type': 'application/json; charset=iso-8859-1' } },
    ],
    [
      'UTF-16',
      { body: Buffer.from(german, 'utf16le'), headers: { 'content-type': 'application/json; charset="utf-16le"' } },
    ],
  ])('in %s is read', async (_, reply) => {
    const verdict = await verdictOn(reply)
    if (verdict.kind !== 'parsed') throw new Error(JSON.stringify(verdict))
    expect(readAnswer(verdict.answer.body, 0)).toMatchObject({ data: { markdown: 'Grüße' }, problems: [] })
  })

  test.each(['100 Continue', '102 Processing', '103 Early Hints\r\nLink: </a>'])(
    'is read after an interim answer (%s)',
    async (interim) => {
      await using server = await rawServer((_, socket) => socket.write(`HTTP/1.1 ${interim}\r\n\r\n${whole('second')}`))
      await using parser = parserFor(server)
      for (const at of [1, 2]) {
        const verdict = await parser.parse(parseRequest(`document ${at}`), never)
        expect(verdict).toMatchObject({ kind: 'parsed', answer: { json: { data: { markdown: 'second' } } } })
      }
    },
  )

  test('is never a late answer on the connection of another document', async () => {
    await using server = await rawServer((number, socket) => {
      socket.write(whole(`of request ${number}`))
      const since = performance.now()
      // Where this process stood still, it would come later than any rest.
      after(3, () => performance.now() - since < 40 && socket.write(whole(`late, of request ${number}`)))
    })
    await using parser = parserFor(server, { concurrency: 4 })
    const one = async (at: number): Promise<void> => {
      const verdict = await parser.parse(parseRequest(`document ${at}`), never)
      const text = verdict.kind === 'parsed' ? readAnswer(verdict.answer.body, 0).data.markdown : verdict.kind
      expect(text).toMatch(/^of request/)
    }
    for (let round = 0; round < 10; round++) await Promise.all([1, 2, 3, 4].map((at) => one(4 * round + at)))
  })

  test.each([401, 413, 503])('of status %i never shows the key, even when the service echoes it', async (status) => {
    const verdict = await verdictOn(errorReply(status, 'Invalid token fc-secret'))
    expect(JSON.stringify(verdict)).toContain('Invalid token [key]')
    expect(JSON.stringify(verdict)).not.toContain('fc-secret')
  })

  test('counts when it arrives before the service has read the document', async () => {
    const verdict = await verdictOn({ fault: 'answer_early', status: 401, body: { success: false, error: 'no' } })
    expect(verdict).toMatchObject({ kind: 'halted', cause: 'key' })
  })
})

describe('a broken connection of HttpParser', () => {
  test.each(['reset_before', 'reset_after', 'reset_middle'] as const)(
    'by %s makes the service unavailable',
    async (fault) => {
      const verdict = await verdictOn({ fault })
      expect(verdict).toMatchObject({ kind: 'unavailable', code: 'service_unavailable', countsAgainstService: true })
    },
  )

  test.each([
    ['reset_before', false],
    ['reset_after', true],
    ['hang', true],
  ] as const)('by %s leaves the charge of a large document ambiguous (%s)', async (fault, inDoubt) => {
    await using service = await startScriptedService({ answers: [{ fault }] })
    await using parser = parserFor(service, { timeoutMs: () => 2_000 })
    const verdict = await parser.parse(parseRequest(Buffer.alloc(20 * 1024 * 1024)), never)
    expect(verdict).toMatchObject({ kind: 'unavailable', inDoubt })
  })

  test('or a missing service is reported as unavailable in plain words', async () => {
    const gone = await startScriptedService()
    const { url } = gone
    await gone[Symbol.asyncDispose]()
    await using parser = parserFor({ url })
    const verdict = await parser.parse(parseRequest('x'), never)
    const message = `No answer from ${url}: nothing listens there.`
    expect(verdict).toMatchObject({ kind: 'unavailable', inDoubt: false, message })
  })

  test('or an answer outside HTTP makes the service unavailable', async () => {
    await using server = await listen(createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')))
    await using parser = parserFor(server)
    expect((await parser.parse(parseRequest('x'), never)).kind).toBe('unavailable')
  })

  test('by a hanging service ends at the timeout of the request', async () => {
    const verdict = await verdictOn({ fault: 'hang' }, { timeoutMs: () => 150 })
    expect(verdict).toMatchObject({ kind: 'unavailable', code: 'timeout' })
  })

  test('by a trickling answer ends at the timeout of the request', async () => {
    await using service = await startScriptedService({ answers: [{ trickleMs: 40 }] })
    await using parser = parserFor(service, { timeoutMs: () => 150 })
    expect(await parser.parse(parseRequest('x'), never)).toMatchObject({ kind: 'unavailable', code: 'timeout' })
  })
})

describe('the upload by HttpParser', () => {
  test('throws an abort reason unchanged, during a request and before it', async () => {
    await using service = await startScriptedService({ answers: [{ fault: 'hang' }] })
    await using parser = parserFor(service)
    const stop = new AbortController()
    const running = parser.parse(parseRequest('x'), stop.signal)
    await until('the request has arrived', 5_000, () => service.inFlight > 0)
    const reason = new Error('shutting down')
    stop.abort(reason)
    await expect(running).rejects.toBe(reason)
    await expect(parser.parse(parseRequest('x'), stop.signal)).rejects.toBe(reason)
    expect(service.requests.length).toBe(1)
  })

  test('throws at once on an abort while it waits for a connection', async () => {
    await using service = await startScriptedService({ answers: [{ fault: 'hang' }] })
    await using parser = parserFor(service, { concurrency: 1 })
    const [first, second] = [new AbortController(), new AbortController()]
    const running = parser.parse(parseRequest('x'), first.signal)
    const waiting = parser.parse(parseRequest('y'), second.signal)
    await until('the first request has arrived', 5_000, () => service.inFlight > 0)
    second.abort(new Error('not now'))
    await expect(waiting).rejects.toThrow('not now')
    first.abort(new Error('nor this'))
    await expect(running).rejects.toThrow('nor this')
    expect((await parser.parse(parseRequest('z'), never)).kind).toBe('parsed')
    expect(service.requests.map(({ file }) => file?.content?.toString())).toEqual(['x', 'z'])
  })

  test.each([100, 1024 * 1024])('throws an error in reading the document, at %i bytes too', async (bytes) => {
    await using service = await startScriptedService()
    await using parser = parserFor(service)
    const failure = new Error('disk gone')
    async function* read(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(50)
      throw failure
    }
    await expect(parser.parse({ ...parseRequest(Buffer.alloc(bytes)), read }, never)).rejects.toBe(failure)
  })

  test.each([-1, 1])('reports a document of another length than promised (%i) as changed', async (difference) => {
    await using service = await startScriptedService()
    await using parser = parserFor(service)
    for (const bytes of [100, 1024 * 1024]) {
      const request = { ...parseRequest(Buffer.alloc(bytes)), bytes: bytes + difference }
      await expect(parser.parse(request, never)).rejects.toBeInstanceOf(DocumentChanged)
    }
    expect(service.charged).toBe(0)
  })
})
