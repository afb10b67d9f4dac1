import { describe, expect, test } from 'vitest'
import { createEngine, type Engine } from '../src/server/create-engine.ts'
import { GeneratedSite } from '../../../test/support/generated-site.ts'
import { shared } from '../../../test/support/shared.ts'

const keys = { 'k-map': { credits: 3 } }
const engine = await shared(createEngine({ children: 1, keys, allowPrivateAddresses: true }))
const shut = await shared(createEngine({ children: 1 }))
const site = await shared(GeneratedSite.open({ seed: 20_261_123, pages: 60 }))

async function map(body: unknown, at: Engine = engine) {
  const headers = { authorization: 'Bearer k-map', 'content-type': 'application/json' }
  const response = await fetch(`${at.url}/v2/map`, { method: 'POST', body: JSON.stringify(body), headers })
  return {
    status: response.status,
    body: (await response.json()) as {
      readonly success: boolean
      readonly code?: string
      readonly error?: string
      readonly links?: readonly { readonly url: string; readonly title?: string }[]
    },
  }
}

describe('POST /v2/map', () => {
  test('lists every page of a site with its title, for one credit', async () => {
    const { status, body } = await map({ url: site.url, limit: 100_000, location: null })
    expect([status, body.success]).toEqual([200, true])
    const found = body.links?.map(({ url }) => url).filter((url) => !url.includes('/deep/'))
    expect(found?.toSorted()).toEqual([...site.reachable].toSorted())
    expect(body.links?.find(({ url }) => url === `${site.url}/`)?.title).toBe('/')
    expect(site.askedOutside).toEqual([])

    const few = await map({ url: site.url, limit: 5, search: 'index-of-new', sitemap: 'skip' })
    expect(few.body.links).toHaveLength(5)
    expect(few.body.links?.[0]?.url).toBe(`${site.url}/index-of-new`)
    const named = await map({ url: site.url, sitemap: 'only' })
    expect(named.body.links?.length).toBeGreaterThan(1)
    expect(named.body.links?.length).toBeLessThan(site.reachable.length)

    expect(await map({ url: site.url })).toMatchObject({ status: 402 })
  }, 240_000)

  test('refuses invalid and private addresses', async () => {
    expect(await map({ url: 'ftp://x' }, shut)).toMatchObject({ status: 400, body: { error: 'Invalid URL' } })
    expect(await map({ url: site.url, limit: 0 }, shut)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
    expect(await map({ url: site.url }, shut)).toMatchObject({ status: 502, body: { code: 'MAP_FAILED' } })
  })
})
