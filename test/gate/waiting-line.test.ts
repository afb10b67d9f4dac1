import { describe, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import type { Admission } from '#src/gate/admission.ts'
import { type Answer, WaitingLine, type WaitingLineOptions } from '#src/gate/waiting-line.ts'
import { elapse, takes, until } from '../support/wait.ts'

const signal = new AbortController().signal
const ticket = (key: string) => ({ key: sourceKey(key) })
const admitted = (key: string): Answer => ({
  kind: 'admitted',
  permit: { id: key, key: sourceKey(key), enteredAt: 0, ahead: 0, seq: 1, done: 0, bound: false },
  fullForMs: null,
})
const full: Answer = { kind: 'wait', reason: 'places', waitMs: 60_000 }

function line(options: Partial<WaitingLineOptions> & Pick<WaitingLineOptions, 'ask'>): WaitingLine {
  const nothing = (): void => undefined
  return new WaitingLine({ giveBack: nothing, standDown: nothing, patienceMs: 10_000, random: () => 0, ...options })
}

describe('the waiting line of a process', () => {
  test('asks the gate for its first document only, and for the next after an admission', async () => {
    const asked: string[] = []
    const waiting = line({
      ask: async ({ key }) => {
        asked.push(key)
        await takes(5)
        return admitted(key)
      },
    })
    await Promise.all(['a', 'b', 'c'].map((key) => waiting.join(ticket(key), signal)))
    expect(asked).toEqual(['a', 'b', 'c'])
  })

  test('asks for up to 16 documents at a time while the gate admits, and for one after a refusal', async () => {
    const free = 20
    let asked = 0
    let asking = 0
    const widths: number[] = []
    const waiting = line({
      ask: async ({ key }) => {
        widths.push((asking += 1))
        asked += 1
        const answer = asked <= free ? admitted(key) : full
        await takes(5)
        asking -= 1
        return answer
      },
      patienceMs: 300,
    })
    const keys = Array.from({ length: 40 }, (_, index) => String(index))
    const answers = await Promise.all(keys.map((key) => waiting.join(ticket(key), signal)))
    expect(answers.filter(({ kind }) => kind === 'admitted')).toHaveLength(free)
    expect(Math.max(...widths)).toBe(16)
    const questions = asked
    widths.length = 0
    void waiting.join(ticket('later'), signal).catch(() => undefined)
    void waiting.join(ticket('last'), signal).catch(() => undefined)
    waiting.call(0)
    await elapse(50, 'more questions than two would come meanwhile')
    // One question for the process that joins the line again, one for the call.
    expect(asked - questions).toBe(2)
    expect(Math.max(...widths)).toBe(1)
    waiting.close(new Error('the test is over'))
  })

  test('asks the gate again only when it is called', async () => {
    let free = false
    let questions = 0
    const waiting = line({
      ask: async ({ key }) => {
        questions += 1
        return free ? admitted(key) : full
      },
    })
    const joined = waiting.join(ticket('a'), signal)
    await elapse(50, 'a second question would come meanwhile')
    expect(questions).toBe(1)
    free = true
    waiting.call(0)
    expect(await joined).toMatchObject({ kind: 'admitted' })
    expect(questions).toBe(2)
  })

  test('asks again after a call that arrives during a question', async () => {
    let questions = 0
    const waiting: WaitingLine = line({
      ask: async ({ key }) => {
        questions += 1
        if (questions > 1) return admitted(key)
        waiting.call(0)
        return full
      },
    })
    expect(await waiting.join(ticket('a'), signal)).toMatchObject({ kind: 'admitted' })
  })

  test('asks at once for a new document after a release handed the last one in line its place', async () => {
    const asked: string[] = []
    const waiting = line({
      ask: async ({ key }) => {
        asked.push(key)
        return asked.length === 1 ? full : admitted(key)
      },
    })
    const handedOver = waiting.join(ticket('a'), signal)
    await until('it has asked', 5_000, () => asked.length === 1)
    waiting.next()?.hear(admitted('a'))
    expect(await handedOver).toMatchObject({ kind: 'admitted' })
    const joined = await Promise.race([waiting.join(ticket('b'), signal), elapse(300, 'it is asked at once')])
    expect(joined).toMatchObject({ kind: 'admitted' })
    expect(asked).toEqual(['a', 'b'])
  })

  test('releases a place that arrives after its document left the line', async () => {
    const given: string[] = []
    const waiting = line({
      ask: async ({ key }) => {
        await takes(60)
        return admitted(key)
      },
      giveBack: ({ key }) => void given.push(key),
      patienceMs: 20,
    })
    expect(await waiting.join(ticket('a'), signal)).toMatchObject({ kind: 'wait' })
    await until('the place is released', 5_000, () => given.length > 0)
    expect(given).toEqual(['a'])
  })

  test('stands down when it is called and no document waits', () => {
    let stoodDown = 0
    const waiting = line({ ask: async ({ key }) => admitted(key), standDown: () => (stoodDown += 1) })
    waiting.call(0)
    expect(stoodDown).toBe(1)
  })

  test('turns all waiting documents away at a halt', async () => {
    const admission = { kind: 'halted', cause: 'credits', message: 'no credits', retryInMs: 60_000 } as const
    const waiting = line({ ask: async () => ({ kind: 'halted', admission }) })
    const all = await Promise.all([waiting.join(ticket('a'), signal), waiting.join(ticket('b'), signal)])
    expect(all.map(({ kind }) => kind)).toEqual(['halted', 'halted'])
  })

  test('keeps a document that waits for a limit beyond its patience, and returns it when the process stops', async () => {
    const waiting = line({ ask: async () => full, patienceMs: 20, limitPatienceMs: 10_000 })
    const stop = new AbortController()
    const join = (key: string): Promise<Admission> => waiting.join({ ...ticket(key), until: stop.signal }, signal)
    const answers = [join('a'), join('b')]
    await elapse(80, 'four times the patience of other documents')
    expect(waiting.length).toBe(2)
    stop.abort()
    expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(['wait', 'wait'])
    expect(await join('c')).toMatchObject({ kind: 'wait' })
  })

  test('keeps only the first two documents beyond the longer patience while none is admitted', async () => {
    const waiting = line({ ask: async () => full, patienceMs: 20, limitPatienceMs: 50 })
    for (const key of ['a', 'b', 'c', 'd', 'e']) waiting.join(ticket(key), signal).catch(() => undefined)
    await elapse(150, 'three times the longer patience')
    expect(waiting.length).toBe(2)
    waiting.close(new Error('over'))
  })

  test('asks for a refused document before those that only wait', async () => {
    const asked: string[] = []
    let free = false
    const waiting = line({
      ask: async ({ key }) => {
        asked.push(key)
        return free ? admitted(key) : full
      },
    })
    const all = [waiting.join(ticket('a'), signal), waiting.join({ ...ticket('refused'), first: true }, signal)]
    free = true
    waiting.call(0)
    await Promise.all(all)
    expect(asked.slice(1)).toEqual(['refused', 'a'])
  })

  test('rejects all waiting documents when Redis fails', async () => {
    const waiting = line({ ask: () => Promise.reject(new Error('Redis is away')) })
    await expect(waiting.join(ticket('a'), signal)).rejects.toThrow('Redis is away')
    expect(waiting.length).toBe(0)
  })
})
