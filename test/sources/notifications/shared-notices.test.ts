import { expect, test } from 'vitest'
import { httpNotices } from '#src/sources/notifications/http-notices.ts'
import type { Notice } from '#src/sources/notices.ts'
import { SharedNotices } from '#src/sources/notifications/shared-notices.ts'

const never = new AbortController().signal

/** A real endpoint with two listeners: one for bodies with an `a`, one for bodies with a `b`. */
async function twoListeners() {
  await using resources = new AsyncDisposableStack()
  const endpoint = resources.use(await httpNotices({ port: 0 }))
  const shared = new SharedNotices(endpoint)
  resources.use(shared)
  const [a, b] = ['a', 'b'].map((letter) => resources.use(shared.listen((body) => body.includes(letter))))
  if (a === undefined || b === undefined) throw new Error('there are two')
  const all = resources.move()
  const post = async (body: string): Promise<number> => (await fetch(endpoint.url, { method: 'POST', body })).status
  return { a, b, post, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

const bodies = (notices: readonly Notice[]): string[] => notices.map(({ body }) => body)

test('SharedNotices delivers a notice to each listener it concerns, and to one listener when it concerns none', async () => {
  await using reported = await twoListeners()
  const posted = ['a', 'b', 'ab', 'x'].map((body) => reported.post(body))
  const [ofA, ofB]: [Notice[], Notice[]] = [[], []]
  while (ofA.length < 3) ofA.push(...(await reported.a.next(5_000, never)))
  while (ofB.length < 2) ofB.push(...(await reported.b.next(5_000, never)))
  expect([bodies(ofA).sort(), bodies(ofB).sort()]).toEqual([
    ['a', 'ab', 'x'],
    ['ab', 'b'],
  ])
  for (const notice of [...ofA, ...ofB]) await notice.done()
  expect(await Promise.all(posted)).toEqual([200, 200, 200, 200])
})

test.each([
  ['done', 'done', 200],
  ['done', 'refuse', 400],
  ['release', 'refuse', 503],
] as const)(
  'SharedNotices with two listeners, one ending a notice with %s, the other with %s, answers %i',
  async (one, other, status) => {
    await using reported = await twoListeners()
    const posted = reported.post('ab')
    const [first] = await reported.a.next(5_000, never)
    const [second] = await reported.b.next(5_000, never)
    await first?.[one]()
    // A watch does this at its end: it has no effect after the first verdict.
    await first?.release()
    await second?.[other]()
    expect(await posted).toBe(status)
  },
)

test('SharedNotices releases a notice for redelivery when a listener closes before handling its share', async () => {
  await using reported = await twoListeners()
  const posted = reported.post('ab')
  const [first] = await reported.a.next(5_000, never)
  await first?.done()
  await reported.b[Symbol.asyncDispose]()
  expect(await posted).toBe(503)
  expect(await reported.a.next(20, never)).toEqual([])
})
