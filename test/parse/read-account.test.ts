import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEngine, type Engine } from '#src/engine/create-engine.ts'
import { readAccount } from '#src/parse/read-account.ts'
import { DIRECT } from '#src/parse/way-out.ts'
import { openSite, type Page } from '../support/web-site.ts'

const never = new AbortController().signal
const NOTHING = { maxConcurrency: null, remainingCredits: null, planCredits: null }

let engine: Engine

beforeAll(async () => {
  engine = await createEngine({ children: 2, keys: { 'k-told': { credits: 42, concurrency: 1 }, 'k-free': {} } })
})
afterAll(() => engine.close())

const account = (baseUrl: string, apiKey = 'k-told') =>
  readAccount({ baseUrl, apiKey, login: null, wayOut: DIRECT }, never)

describe('the account of a key', () => {
  test('is what the service tells of it', async () => {
    expect(await account(engine.url)).toEqual({ maxConcurrency: 1, remainingCredits: 42, planCredits: 42 })
  })

  test('has no limit where the service has none', async () => {
    expect(await account(engine.url, 'k-free')).toEqual({ ...NOTHING, maxConcurrency: 2 })
  })

  test.each<[string, Page | undefined]>([
    ['does not know it', undefined],
    ['refuses it', { status: 429, headers: { 'retry-after': '60' } }],
    ['answers with a page', { body: '<html>' }],
    ['answers with other types', { body: '{"maxConcurrency":"5","data":{"remainingCredits":-1,"planCredits":null}}' }],
  ])('is unknown where the service %s', async (_what, page) => {
    await using service = await openSite(() => page)
    expect(await account(service.url)).toEqual(NOTHING)
  })

  test('is unknown where the service is not there, or does not answer', async () => {
    await using service = await openSite(() => undefined)
    const { url } = service
    await service[Symbol.asyncDispose]()
    expect(await account(url)).toEqual(NOTHING)
  })
})
