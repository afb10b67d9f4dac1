import { expect, test } from 'vitest'
import { z } from 'zod'
import { connectRedis } from '#src/redis/connection.ts'
import { LuaScript } from '#src/redis/lua-script.ts'
import { MergedScript, ScriptBatch } from '#src/redis/script-batch.ts'
import { startTestRedis } from '../support/redis.ts'
import { shared } from '../support/shared.ts'

const APPEND = new LuaScript('append', "return redis.call('RPUSH', KEYS[1], ARGV[1])", z.number())
const READ = new LuaScript('read', "return redis.call('LRANGE', KEYS[1], 0, -1)", z.array(z.string()))
const ADD = new LuaScript('add', "redis.call('INCRBY', KEYS[1], ARGV[1])")
const MERGED = new MergedScript('three', [APPEND, READ, ADD])

const server = await shared(startTestRedis())

async function callsOf(work: () => Promise<void>): Promise<number> {
  await server.connection.config('RESETSTAT')
  await work()
  const stats = await server.connection.info('commandstats')
  return [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0)
}

test('a script batch sends requests of one step in one call, in order, with a reply for each caller', async () => {
  const batch = new ScriptBatch(server.connection, MERGED)
  await batch.run(READ, ['warm'], [])
  const calls = await callsOf(async () => {
    const replies = await Promise.all([
      batch.run(APPEND, ['list'], ['a']),
      batch.run(ADD, ['sum'], [2]),
      batch.run(APPEND, ['list'], ['b']),
      batch.run(READ, ['list'], []),
    ])
    expect(replies).toEqual([1, null, 2, ['a', 'b']])
  })
  expect(calls).toBe(1)
})

test('a script batch sends requests made during a call with the next call', async () => {
  const batch = new ScriptBatch(server.connection, MERGED)
  const calls = await callsOf(async () => {
    const first = batch.run(APPEND, ['later'], ['a'])
    await new Promise(setImmediate)
    const others = ['b', 'c', 'd'].map((value) => batch.run(APPEND, ['later'], [value]))
    expect(await Promise.all([first, ...others])).toEqual([1, 2, 3, 4])
  })
  expect(calls).toBe(2)
})

test('a script that fails in a batch fails alone, and a server that forgot the scripts receives them again', async () => {
  const batch = new ScriptBatch(server.connection, MERGED)
  await server.connection.set('text', 'no number')
  await server.connection.script('FLUSH')
  const [before, failed, after] = await Promise.allSettled([
    batch.run(APPEND, ['kept'], ['a']),
    batch.run(ADD, ['text'], [1]),
    batch.run(APPEND, ['kept'], ['b']),
  ])
  expect(before).toMatchObject({ value: 1 })
  expect(failed).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('not an integer') } })
  expect(after).toMatchObject({ value: 2 })
})

test('a call of a script batch that cannot be sent fails every script in it', async () => {
  const cut = await connectRedis({ url: server.url })
  cut.disconnect()
  const batch = new ScriptBatch(cut, MERGED)
  const asked = await Promise.allSettled([batch.run(READ, ['a'], []), batch.run(READ, ['b'], [])])
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
