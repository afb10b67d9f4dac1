import { describe, expect, test } from 'vitest'
import { createEngine } from '../../src/server/create-engine.ts'
import { csvFile, parseWith } from '../support/engine-client.ts'
import { shared } from '../../../../test/support/shared.ts'
import { pdfOf } from '../support/pdf-of.ts'

const engine = await shared(
  createEngine({
    children: 2,
    keys: {
      'k-free': {},
      'k-poor': { credits: 3 },
      'k-slow': { requestsPerMinute: 2 },
      'k-narrow': { concurrency: 1 },
      'k-strict': { concurrency: 1, overflow: 'refuse' },
      'k-kept': { zeroDataRetention: false },
    },
  }),
)

describe('a key of the engine', () => {
  test.each([
    ['none', undefined],
    ['an unknown one', 'k-other'],
  ])('that is %s gets 401', async (_which, key) => {
    const answer = await parseWith(engine, key === undefined ? {} : { key })
    expect(answer).toMatchObject({ status: 401, body: { success: false, error: 'Unauthorized: Invalid token' } })
  })

  test('that is known is served, and each answer states its price', async () => {
    const pdf = new File([pdfOf(['one', 'two', 'three'])], 'three.pdf')
    const answer = await parseWith(engine, { key: 'k-free', file: pdf })
    expect(answer).toMatchObject({ status: 200, body: { data: { metadata: { creditsUsed: 3, numPages: 3 } } } })
  })

  test('pays for answers only, and gets 402 once its credits do not suffice', async () => {
    const broken = new File([Buffer.from('PK\u0003\u0004x')], 'broken.docx')
    const statuses = [
      (await parseWith(engine, { key: 'k-poor', file: broken })).status,
      (await parseWith(engine, { key: 'k-poor' })).status,
      (await parseWith(engine, { key: 'k-poor', file: new File([pdfOf(['1', '2', '3'])], 'x.pdf') })).status,
      (await parseWith(engine, { key: 'k-poor' })).status,
      (await parseWith(engine, { key: 'k-poor' })).status,
      (await parseWith(engine, { key: 'k-poor' })).status,
    ]
    expect(statuses).toEqual([400, 200, 402, 200, 200, 402])
  })

  test('gets 429 and the time to wait beyond its requests a minute', async () => {
    const answers = [1, 2, 3].map(() => parseWith(engine, { key: 'k-slow' }))
    const refused = (await Promise.all(answers)).filter(({ status }) => status === 429)
    expect(refused).toHaveLength(1)
    expect(refused[0]?.body.error).toMatch(/^Rate limit exceeded/)
    expect(Number(refused[0]?.retryAfter)).toBeGreaterThanOrEqual(58)
  })

  test('waits for a slot beyond its concurrency, and the answer reports it', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => parseWith(engine, { key: 'k-narrow' })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const limited = answers.map(({ body }) => body.data?.metadata?.concurrencyLimited)
    expect(limited.filter((value) => value === true).length).toBeGreaterThanOrEqual(1)
    const queued = answers.find(({ body }) => body.data?.metadata?.concurrencyLimited === true)
    expect(queued?.body.data?.metadata?.concurrencyQueueDurationMs).toBeGreaterThan(0)
  })

  test('gets 429 beyond its concurrency when it may not wait', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => parseWith(engine, { key: 'k-strict' })))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(1)
    expect(refused[0]).toMatchObject({ retryAfter: '1', body: { error: 'Concurrency limit reached' } })
  })

  test('gets 403 for zero data retention without an arrangement', async () => {
    const answer = await parseWith(engine, { key: 'k-kept', options: { zeroDataRetention: true } })
    expect(answer).toMatchObject({ status: 403, body: { error: expect.stringMatching(/^Forbidden/) } })
    expect((await parseWith(engine, { key: 'k-free', options: { zeroDataRetention: true } })).status).toBe(200)
  })
})

describe('a request to the engine', () => {
  test('with a bad JSON Schema gets 422', async () => {
    const options = { formats: [{ type: 'json', schema: { type: 'nothing' } }] }
    const answer = await parseWith(engine, { key: 'k-free', options })
    expect(answer).toMatchObject({
      status: 422,
      body: { success: false, error: expect.stringContaining('JSON Schema') },
    })
  })

  test('by another method gets 405', async () => {
    const headers = { authorization: 'Bearer k-free' }
    const response = await fetch(`${engine.url}/v2/parse`, { method: 'PUT', headers })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
    expect(await response.json()).toMatchObject({ success: false, code: 'METHOD_NOT_ALLOWED' })
  })

  test('that exceeds its timeout gets 408, and the next one is served', async () => {
    // A timeout counts processing time, so the document has to need more of it than one tick of that clock.
    const long = csvFile('long.csv', 'name,age\n'.repeat(300_000))
    const answer = await parseWith(engine, { key: 'k-free', file: long, options: { timeout: 50 } })
    expect(answer).toMatchObject({
      status: 408,
      body: { success: false, error: expect.stringMatching(/^Request Timeout/) },
    })
    expect((await parseWith(engine, { key: 'k-free', file: csvFile() })).status).toBe(200)
  })
})

test('a 401 of the engine names the scheme, and calls a token wrong only when one was sent', async () => {
  const challenge = async (headers: Record<string, string>): Promise<string | null> =>
    (await fetch(`${engine.url}/v2/parse`, { method: 'POST', headers })).headers.get('www-authenticate')
  expect(await challenge({})).toBe('Bearer')
  expect(await challenge({ authorization: 'Bearer k-other' })).toBe('Bearer error="invalid_token"')
})

test('the engine states the limits and remaining credits of a key, also when the key may parse no more', async () => {
  const reported = async (path: string, key: string) => {
    const response = await fetch(`${engine.url}/v2/team/${path}`, { headers: { authorization: `Bearer ${key}` } })
    return (await response.json()) as object
  }
  expect(await reported('credit-usage', 'k-poor')).toMatchObject({
    success: true,
    data: { remainingCredits: 0, planCredits: 3 },
  })
  expect(await reported('queue-status', 'k-slow')).toMatchObject({ success: true, maxConcurrency: 2, jobsInQueue: 0 })
  expect(await reported('queue-status', 'k-narrow')).toMatchObject({
    maxConcurrency: 1,
    mostRecentSuccess: expect.any(String),
  })
  expect(await reported('credit-usage', 'k-free')).toMatchObject({
    data: { remainingCredits: Number.MAX_SAFE_INTEGER },
  })
})
