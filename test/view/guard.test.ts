import { assert, domain, property, string } from '../support/fast-check.ts'
import { expect, test } from 'vitest'
import { type GuardedRequest, guard } from '#src/view/guard.ts'

const EXPECTED = { token: 'right-token', port: 4680, hostname: '127.0.0.1' }
const GOOD: GuardedRequest = { host: '127.0.0.1:4680', origin: undefined, site: 'none', token: 'right-token' }

test.each([
  ['the printed address', {}],
  ['localhost', { host: 'localhost:4680' }],
  ['its own page', { origin: 'http://127.0.0.1:4680', site: 'same-origin' }],
  ['a client that is no browser', { site: undefined }],
])('view answers a request from %s', (_, given) => {
  expect(guard({ ...GOOD, ...given }, EXPECTED)).toEqual({ kind: 'allowed' })
})

test.each([
  ['a domain that leads to loopback', { host: 'evil.example:4680' }, 421],
  ['another port of this machine', { host: '127.0.0.1:80' }, 421],
  ['no host', { host: undefined }, 421],
  ['another page', { origin: 'https://evil.example' }, 403],
  ['a page of another port', { origin: 'http://127.0.0.1:3000' }, 403],
  ['a sandboxed page', { origin: 'null' }, 403],
  ['a link on another site', { site: 'cross-site' }, 403],
  ['another port by a link', { site: 'same-site' }, 403],
  ['without a token', { token: '' }, 404],
  ['the token of another start', { token: 'wrong-token' }, 404],
] as const)('view refuses a request from %s', (_, given, status) => {
  expect(guard({ ...GOOD, ...given }, EXPECTED)).toMatchObject({ kind: 'refused', status })
})

test('view refuses every host, origin and token but its own', () => {
  assert(
    property(domain(), string(), (host, token) => {
      expect(guard({ ...GOOD, host: `${host}:4680` }, EXPECTED).kind).toBe('refused')
      expect(guard({ ...GOOD, origin: `http://${host}` }, EXPECTED).kind).toBe('refused')
      expect(guard({ ...GOOD, token: token === EXPECTED.token ? '' : token }, EXPECTED).kind).toBe('refused')
    }),
    { numRuns: 50 },
  )
})
