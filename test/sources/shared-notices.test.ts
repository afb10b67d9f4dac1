import { expect, test } from 'vitest'
import { httpNotices } from '#src/sources/http-notices.ts'
import type { Notice } from '#src/sources/notices.ts'
import { SharedNotices } from '#src/sources/shared-notices.ts'

const never = new AbortController().signal

/** A real endpoint, and two who listen: to what holds an `a`, and to what holds a `b`. */
async function twoListeners() {
  await using resources = new AsyncDisposableStack()
  const endpoint = resources.use(await httpNotices({ port: 0 }))
  const shared = new SharedNotices(endpoint)
  resources.defer(() => shared.close())
  const [a, b] = ['a', 'b'].map((letter) => resources.use(shared.listen((body) => body.includes(letter))))
  if (a === undefined || b === undefined) throw new Error('there are two')
  const all = resources.move()
  const post = async (body: string): Promise<number> => (await fetch(endpoint.url, { method: 'POST', body })).status
  return { a, b, post, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

const bodies = (notices: readonly Notice[]): string[] => notices.map(({ body }) => body)

test('everyone is given what concerns him, and what concerns nobody is given to one', async () => {
  await using told = await twoListeners()
  const posted = ['a', 'b', 'ab', 'x'].map((body) => told.post(body))
  const [ofA, ofB]: [Notice[], Notice[]] = [[], []]
  while (ofA.length < 3) ofA.push(...(await told.a.next(5_000, never)))
  while (ofB.length < 2) ofB.push(...(await told.b.next(5_000, never)))
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
  ['giveBack', 'refuse', 503],
] as const)(
  'a notice for two that one ends with %s and the other with %s is answered %i',
  async (one, other, status) => {
    await using told = await twoListeners()
    const posted = told.post('ab')
    const [first] = await told.a.next(5_000, never)
    const [second] = await told.b.next(5_000, never)
    await first?.[one]()
    // As a watch does at its end: without effect after the first word.
    await first?.giveBack()
    await second?.[other]()
    expect(await posted).toBe(status)
  },
)

test('what waits for somebody who goes away comes again', async () => {
  await using told = await twoListeners()
  const posted = told.post('ab')
  const [first] = await told.a.next(5_000, never)
  await first?.done()
  await told.b[Symbol.asyncDispose]()
  expect(await posted).toBe(503)
  expect(await told.a.next(20, never)).toEqual([])
})
