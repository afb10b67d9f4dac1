import { describe, expect, test } from 'vitest'
import { httpNotices } from '#src/sources/notifications/http-notices.ts'

const never = new AbortController().signal
const post = async (url: string, body: string, headers: Record<string, string> = {}): Promise<number> =>
  (await fetch(url, { method: 'POST', body, headers })).status

describe('the endpoint for notifications', () => {
  test('answers only after a notification is handled', async () => {
    await using endpoint = await httpNotices({ port: 0 })
    let answered = false
    const posting = post(endpoint.url, 'a notice').finally(() => (answered = true))
    const [notice] = await endpoint.next(5000, never)
    expect([notice?.body, answered]).toEqual(['a notice', false])
    await notice?.done()
    expect(await posting).toBe(200)
  })

  test('refuses invalid notifications', async () => {
    await using endpoint = await httpNotices({ port: 0 })
    const posting = post(endpoint.url, 'gibberish')
    const [notice] = await endpoint.next(5000, never)
    await notice?.refuse()
    expect(await posting).toBe(400)
  })

  test('accepts only requests with the token', async () => {
    await using endpoint = await httpNotices({ port: 0, token: 'secret' })
    expect(await post(endpoint.url, 'x')).toBe(401)
    expect(await post(endpoint.url, 'x', { authorization: 'Bearer guess' })).toBe(401)
    const posting = [
      post(endpoint.url, 'one', { authorization: 'Bearer secret' }),
      post(`${endpoint.url}?token=secret`, 'two'),
    ]
    for (let taken = 0; taken < 2;) {
      for (const notice of await endpoint.next(5000, never)) {
        await notice.done()
        taken++
      }
    }
    expect(await Promise.all(posting)).toEqual([200, 200])
  })

  test('refuses other paths, other methods and bodies over the limit', async () => {
    await using endpoint = await httpNotices({ port: 0 })
    expect(await post(endpoint.url.replace('/events/s3', '/events'), 'x')).toBe(404)
    expect((await fetch(endpoint.url)).status).toBe(405)
    expect(await post(endpoint.url, 'x'.repeat(1024 * 1024 + 1)).catch(() => 413)).toBe(413)
  })

  test('refuses to listen beyond the loopback address without a token', async () => {
    await expect(httpNotices({ host: '0.0.0.0', port: 0 })).rejects.toThrow(/set EVENTS_TOKEN/)
  })

  test('yields nothing while no notification comes', async () => {
    await using endpoint = await httpNotices({ port: 0 })
    expect(await endpoint.next(50, never)).toEqual([])
  })
})
