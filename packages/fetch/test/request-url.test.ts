import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent } from 'undici'
import { describe, expect, test } from 'vitest'
import { publicLookup } from '../src/public-connect.ts'
import { requestUrl } from '../src/request-url.ts'
import { openSite, type Page } from '../../../test/support/web-site.ts'

/** As if the test's site were on the public internet under this name; all other names are looked up as ever. */
const PUBLIC_NAME = 'public.example'
const asOnTheInternet: LookupFunction = (hostname, options, callback) => {
  if (hostname !== PUBLIC_NAME) publicLookup(hostname, options, callback)
  else lookup('127.0.0.1', options, callback)
}

describe('a redirect of a public site', () => {
  test.each([
    ['an address of this machine', '127.0.0.1'],
    ['the same in other spelling', '[::ffff:127.0.0.1]'],
    ['a name that resolves to one', 'localhost'],
  ])('to %s is not followed', async (_what, host) => {
    const pages: Record<string, Page> = {}
    await using site = await openSite((path) => pages[path])
    const { port } = new URL(site.url)
    pages['/away'] = { status: 302, headers: { location: `http://${host}:${port}/secret` } }
    pages['/secret'] = { body: 'secret' }
    await using resources = new AsyncDisposableStack()
    const dispatcher = resources.adopt(new Agent({ connect: { lookup: asOnTheInternet } }), (agent) => agent.destroy())
    const options = { method: 'GET', headers: {}, dispatcher, allowPrivateAddresses: false } as const
    const away = requestUrl(new URL(`http://${PUBLIC_NAME}:${port}/away`), options, AbortSignal.timeout(5_000))
    await expect(away).rejects.toMatchObject({ name: 'FetchRefused', reason: 'private_address' })
    expect(site.asked).toEqual(['GET /away'])
  })
})
