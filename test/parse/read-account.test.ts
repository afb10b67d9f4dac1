import { describe, expect, test } from 'vitest'
import { createEngine } from '@sluice/engine'
import { readCredits, readTargets } from '#src/parse/read-account.ts'
import { DIRECT_NETWORK } from '#src/parse/service-network.ts'
import { openSite, type Page } from '../support/web-site.ts'
import { shared } from '../support/shared.ts'

const never = new AbortController().signal
const NOTHING = { concurrency: null, remaining: null, plan: null }

const engine = await shared(
  createEngine({ children: 2, keys: { 'k-stated': { credits: 42, concurrency: 1 }, 'k-free': {} } }),
)

async function account(baseUrl: string, apiKey = 'k-stated') {
  const line = { baseUrl, apiKey, login: null, network: DIRECT_NETWORK }
  const [concurrency, credits] = await Promise.all([readTargets(line, never), readCredits(line, never)])
  return { concurrency, ...credits }
}

describe('the account of a key', () => {
  test('holds the values that the service states', async () => {
    expect(await account(engine.url)).toEqual({ concurrency: 1, remaining: 42, plan: 42 })
  })

  test('has no limit when the service has none', async () => {
    expect(await account(engine.url, 'k-free')).toEqual({ ...NOTHING, concurrency: 2 })
  })

  test.each<[string, Page | undefined]>([
    ['does not know it', undefined],
    ['refuses it', { status: 429, headers: { 'retry-after': '60' } }],
    [
      'answers with a login page',
      { headers: { 'content-type': 'text/html' }, body: '<!doctype html><form>Log in</form>' },
    ],
    ['sends to a login page', { status: 302, headers: { location: '/login' } }],
    ['answers with other types', { body: '{"maxConcurrency":"5","data":{"remainingCredits":-1,"planCredits":null}}' }],
  ])('is unknown when the service %s', async (_what, page) => {
    await using service = await openSite(() => page)
    expect(await account(service.url)).toEqual(NOTHING)
  })

  test('is unknown when the service is unreachable or does not answer', async () => {
    await using service = await openSite(() => undefined)
    const { url } = service
    await service[Symbol.asyncDispose]()
    expect(await account(url)).toEqual(NOTHING)
  })
})
