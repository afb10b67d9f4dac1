import { expect, test } from 'vitest'
import { readChatAnswer } from '#src/model/chat-answer.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')

const read = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): object =>
  readChatAnswer({ status, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }, NOW)

const error = (code: string | null, message = 'sk-secret was sent: "document text"', type = 'x'): object => ({
  error: { message, type, code },
})

test('a chat completion is read as text, tokens and name of the model', () => {
  const body = { model: 'm-1', choices: [{ message: { content: ' Text. ' } }], usage: { total_tokens: 12 } }
  expect(read(200, body)).toEqual({ kind: 'written', text: ' Text. ', tokens: 12, by: 'm-1' })
  expect(read(200, { choices: [{ message: { content: null } }] })).toEqual({
    kind: 'written',
    text: '',
    tokens: null,
    by: null,
  })
})

test.each([
  [
    '429 with seconds',
    429,
    error('rate_limit_exceeded'),
    { 'retry-after': '7' },
    { kind: 'throttled', retryAfterMs: 7000 },
  ],
  [
    '429 with milliseconds',
    429,
    error(null),
    { 'retry-after': '7', 'retry-after-ms': '250' },
    { kind: 'throttled', retryAfterMs: 250 },
  ],
  [
    '429 with a date',
    429,
    '',
    { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' },
    { kind: 'throttled', retryAfterMs: 60_000 },
  ],
  ['429 without a time', 429, 'busy', {}, { kind: 'throttled', retryAfterMs: null }],
  ['429 of an empty account', 429, error('insufficient_quota'), {}, { kind: 'refused', cause: 'credits' }],
  ['402', 402, '', {}, { kind: 'refused', cause: 'credits' }],
  ['401', 401, error('invalid_api_key'), {}, { kind: 'refused', cause: 'key' }],
  ['403', 403, '', {}, { kind: 'refused', cause: 'key' }],
  ['404', 404, error('model_not_found'), {}, { kind: 'refused', cause: 'address' }],
  ['a redirect', 302, '', { location: 'http://x' }, { kind: 'refused', cause: 'address' }],
  ['400', 400, error('context_length_exceeded'), {}, { kind: 'rejected' }],
  ['413', 413, '', {}, { kind: 'rejected' }],
  ['500', 500, '<html>', {}, { kind: 'unavailable', absent: false, retryAfterMs: null }],
  ['503 with a time', 503, '', { 'retry-after': '2' }, { kind: 'unavailable', retryAfterMs: 2000 }],
  ['a page with 200', 200, '<html>', {}, { kind: 'refused', cause: 'address' }],
  ['200 without choices', 200, { choices: [] }, {}, { kind: 'refused', cause: 'address' }],
])('an answer of %s has its meaning, and no text of the service', (_, status, body, headers, meaning) => {
  const answer = read(status, body, headers)
  expect(answer).toMatchObject(meaning)
  expect(JSON.stringify(answer)).not.toMatch(/sk-secret|document text/)
})
