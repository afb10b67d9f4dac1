import { expect, test } from 'vitest'
import { z } from 'zod'
import { LuaScript } from '#src/redis/lua-script.ts'
import { startTestRedis } from '../support/redis.ts'
import { shared } from '../support/shared.ts'

const server = await shared(startTestRedis())

test('a Lua script with an unexpected reply fails with its name, also when it should reply nothing', async () => {
  const flag = new LuaScript('a flag', 'return ARGV[1]', z.literal([0, 1]))
  await expect(flag.run(server.connection, [], ['other'])).rejects.toThrow(/script "a flag" gave a reply of another/)
  const nothing = new LuaScript('nothing', 'return 1')
  await expect(nothing.run(server.connection, [], [])).rejects.toThrow(/script "nothing" gave a reply of another/)
})

test('a Lua script is sent in full to a server that forgot it', async () => {
  const pair = new LuaScript('a pair', 'return { ARGV[1], 2 }', z.tuple([z.string(), z.number()]))
  expect(await pair.run(server.connection, [], ['a'])).toEqual(['a', 2])
  await server.connection.script('FLUSH')
  expect(await pair.run(server.connection, [], ['b'])).toEqual(['b', 2])
})
