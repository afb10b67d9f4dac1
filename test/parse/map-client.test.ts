import { expect, test } from 'vitest'
import { mapSite } from '#src/parse/map-client.ts'
import { DIRECT_NETWORK } from '#src/parse/service-network.ts'
import { openSite, type Page } from '../support/web-site.ts'

const never = new AbortController().signal

const mapFrom = (baseUrl: string) =>
  mapSite(
    { baseUrl, apiKey: 'k', login: null, network: DIRECT_NETWORK },
    { url: new URL('https://docs.example.com/'), limit: 10, sitemap: 'include' },
    never,
  )

test.each<[string, Page | undefined]>([
  ['has no such operation', undefined],
  ['answers with a login page', { headers: { 'content-type': 'text/html' }, body: '<!doctype html><form>' }],
  ['sends to a login page', { status: 302, headers: { location: '/login' } }],
])('a service that %s has no map of a site', async (_what, page) => {
  await using service = await openSite(() => page)
  expect(await mapFrom(service.url)).toBeNull()
})

test('the map of a site accepts addresses in both shapes, with the credits that the service reports', async () => {
  const links = ['https://docs.example.com/a', { url: 'https://docs.example.com/b', title: 'b' }, null, { title: 'c' }]
  await using service = await openSite(() => ({ body: JSON.stringify({ success: true, links, creditsUsed: 2 }) }))
  expect(await mapFrom(service.url)).toEqual({
    addresses: ['https://docs.example.com/a', 'https://docs.example.com/b'],
    used: 2,
  })
})
