import { createServer, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { classify } from '#src/client/classify.ts'
import { parseOptionsSchema } from '@sluice/contract'
import { readAnswer } from '#src/client/read-answer.ts'
import type { Verdict } from '#src/document/verdict.ts'
import { HttpParser } from '#src/parse/http-parser.ts'
import { parseRequest } from '../support/parse-request.ts'
import { Random } from '../support/random.ts'
import { seedFrom } from '../support/seed.ts'
import { listen } from '../support/listen.ts'

const CASES = 10_000

/** As many of them go over the wire: the others would only test node's own server and client again. */
const WIRE_CASES = 2_000
const AT_ONCE = 8

const VALID = {
  success: true,
  data: {
    markdown: '# 😀 Title\n\ntext',
    pages: [{ pageNumber: 1, markdown: '# 😀 Title' }],
    blocks: [
      {
        pageNumber: 1,
        width: 10,
        height: 10,
        status: 'ok',
        items: [
          {
            id: 'p1.b0',
            type: 'title',
            label: null,
            bbox: [0, 0, 1, 1],
            content: '# 😀 Title',
            markdownSpan: [0, 10],
            confidence: { layout: 1 },
          },
          { id: 'p1.b1', type: 'text', content: 'text', markdownSpan: [12, 16], readingOrder: 1 },
        ],
      },
    ],
    links: ['https://x.test'],
    metadata: { numPages: 1, totalPages: 1, concurrencyLimited: true, concurrencyQueueDurationMs: 3, creditsUsed: 1 },
  },
}
const ERROR = { success: false, code: 'SCRAPE_TIMEOUT', error: 'retry after 3s', details: { retryAfter: 2 } }
const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  0.5,
  '',
  'text',
  '\u0000',
  [],
  [[]],
  {},
  { a: 1 },
  'x'.repeat(3000),
]
const TEXTS = [
  '',
  '<html><title>Oops</title>',
  'null',
  '{}',
  '[]',
  '{"success":true}',
  '"',
  '[',
  '{"data":',
  '\ufeff{}',
  '['.repeat(20_000),
]
const STATUSES = [200, 200, 200, 204, 301, 400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 503, 520, 599]
const HEADERS = ['0', '1.5', 'soon', '-3', '1e400', 'Wed, 21 Oct 2037 07:28:00 GMT', '9'.repeat(300)]

/** The value with one of its fields, at any depth, replaced by something odd, removed or put elsewhere. */
function mutated(value: unknown, random: Random): unknown {
  const copy = structuredClone(value)
  let holder = copy as Record<string, unknown>
  for (;;) {
    const key = random.pick(Object.keys(holder))
    const inner = holder[key]
    const deeper = inner !== null && typeof inner === 'object' && Object.keys(inner).length > 0
    if (deeper && random.next() < 0.8) {
      holder = inner as Record<string, unknown>
    } else {
      if (random.next() < 0.2) delete holder[key]
      else holder[key] = random.next() < 0.1 ? copy : random.pick(ODD)
      return safe(copy)
    }
  }
}

/** JSON cannot hold a value inside itself. */
function safe(value: unknown): unknown {
  try {
    JSON.stringify(value)
    return value
  } catch {
    return null
  }
}

function damaged(bytes: Buffer, random: Random): Buffer {
  if (random.next() < 0.5) return bytes.subarray(0, random.below(bytes.length + 1))
  const copy = Buffer.from(bytes)
  for (let flips = 1 + random.below(8); flips > 0 && copy.length > 0; flips -= 1)
    copy[random.below(copy.length)] = random.below(256)
  return copy
}

function randomBody(random: Random): Buffer {
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
  switch (random.below(6)) {
    case 0:
      return json(mutated(VALID, random))
    case 1:
      return json(mutated(mutated(VALID, random) ?? VALID, random) ?? VALID)
    case 2:
      return json(random.next() < 0.5 ? ERROR : mutated(ERROR, random))
    case 3:
      return damaged(json(VALID), random)
    case 4:
      return Buffer.from(random.pick(TEXTS))
    default:
      return random.bytes(random.below(400))
  }
}

/** Answers with anything at all: sometimes not even HTTP. */
function answerAtRandom(response: ServerResponse, random: Random): void {
  const body = randomBody(random)
  const oddity = random.below(20)
  if (oddity === 0) return void response.socket?.end(random.bytes(60))
  if (oddity === 1)
    return void response.socket?.end(damaged(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'), random))
  if (oddity === 2) return void response.socket?.resetAndDestroy()

  const status = random.next() < 0.1 ? 200 + random.below(400) : random.pick(STATUSES)
  if (random.next() < 0.3) response.setHeader('retry-after', random.pick(HEADERS))
  if (random.next() < 0.1) response.setHeader('x-request-id', random.pick(['', 'id', 'y'.repeat(500)]))
  if (oddity === 3)
    return void response
      .writeHead(status, { 'content-encoding': random.pick(['gzip', 'br', 'zip', 'gzip, br']) })
      .end(body)
  if (oddity === 4) return void response.writeHead(status, { 'content-encoding': 'gzip' }).end(gzipSync(body))
  if (oddity === 5)
    return void response
      .writeHead(status, { 'content-length': body.length + 5 })
      .write(body, () => response.socket?.end())
  response.writeHead(status).end(body)
}

const KINDS: readonly Verdict['kind'][] = ['parsed', 'rejected', 'throttled', 'unavailable', 'refused', 'halted']

/** What must hold of any verdict: nothing downstream checks it again. */
function complain(verdict: Verdict): string | null {
  if (!KINDS.includes(verdict.kind)) return `no such verdict: ${JSON.stringify(verdict)}`
  if (
    'retryAfterMs' in verdict &&
    verdict.retryAfterMs !== null &&
    !(verdict.retryAfterMs >= 0 && verdict.retryAfterMs < 2 ** 31)
  )
    return `retryAfterMs ${verdict.retryAfterMs}`
  const message =
    verdict.kind === 'rejected' ? verdict.failure.message : 'message' in verdict ? verdict.message : 'parsed'
  if (message.length > 600 || /[\u0000-\u001f]/.test(message)) return `message ${JSON.stringify(message)}`
  if (verdict.kind !== 'parsed') return null
  const { data, pages } = readAnswer(verdict.answer.body, 0)
  if (pages.truncated && !(pages.parsed !== null && pages.total !== null)) return 'truncated without counts'
  const spans = (data.blocks ?? []).flatMap(({ items }) => items).filter(({ markdownSpan }) => markdownSpan !== null)
  const wrong = spans.find(
    ({ markdownSpan, content }) => data.markdown?.slice(...(markdownSpan as [number, number])) !== content,
  )
  return wrong === undefined ? null : `span of ${JSON.stringify(wrong)}`
}

/** FUZZ_SEED replays a run, whose first case has that seed. */
const seed = seedFrom('FUZZ_SEED', 'fresh')
console.log(`FUZZ_SEED=${seed}`)

test(`${CASES} random bodies each get a verdict, and those with a document are readable`, () => {
  const options = parseOptionsSchema.parse({})
  for (let number = 0; number < CASES; number += 1) {
    const random = new Random(seed + number)
    const headers = random.next() < 0.3 ? { 'retry-after': random.pick(HEADERS) } : {}
    const answer = { status: random.pick(STATUSES), headers, body: randomBody(random), durationMs: 1 }
    const complaint = complain(classify(answer, { options, nowMs: 0 }))
    if (complaint !== null) throw new Error(`seed ${seed}, case ${number}: ${complaint}`)
  }
})

test(
  `${WIRE_CASES} random answers over the wire each get a verdict, without a crash or an endless wait`,
  { timeout: 240_000 },
  async () => {
    const lastCase = new Map<string, number>()
    const answering = createServer((request, response) => {
      const worker = request.headers['user-agent'] ?? ''
      const number = (lastCase.get(worker) ?? Number(worker) - AT_ONCE) + AT_ONCE
      lastCase.set(worker, number)
      request.resume().once('end', () => answerAtRandom(response, new Random(seed + number)))
    })
    await using server = await listen(answering)
    const baseUrl = new URL(server.url)
    const never = new AbortController().signal
    const request = parseRequest('x')
    const seen = new Map<string, number>()

    const work = async (worker: string): Promise<void> => {
      const options = { baseUrl, apiKey: null, concurrency: 1, userAgent: worker, timeoutMs: () => 10_000 }
      await using parser = new HttpParser(options)
      for (let done = 0; done < WIRE_CASES / AT_ONCE; done += 1) {
        const verdict = await parser.parse(request, never)
        seen.set(verdict.kind, (seen.get(verdict.kind) ?? 0) + 1)
        const late = verdict.kind === 'unavailable' && verdict.message.includes('the timeout of')
        const complaint = late ? 'no answer in time' : complain(verdict)
        if (complaint !== null) throw new Error(`seed ${seed}, case ${lastCase.get(worker)}: ${complaint}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => work(`${index}`)))
    expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(WIRE_CASES)
    expect(new Set(seen.keys())).toEqual(new Set(KINDS))
  },
)
