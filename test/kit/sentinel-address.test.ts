import { expect, test } from 'vitest'
import { sentinelAddress } from '#src/kit/sentinel-address.ts'

test('an address of Sentinels names them, the master, its login and the database', () => {
  expect(sentinelAddress('redis+sentinel://user:p%40ss@one:26380,two/my%20master/3?sentinelPassword=other')).toEqual({
    master: 'my master',
    sentinels: [
      { host: 'one', port: 26_380 },
      { host: 'two', port: 26_379 },
    ],
    db: 3,
    tls: false,
    username: 'user',
    password: 'p@ss',
    sentinelUsername: undefined,
    sentinelPassword: 'other',
  })
  expect(sentinelAddress('rediss+sentinel://[::1]:5000/m')).toMatchObject({
    sentinels: [{ host: '::1', port: 5000 }],
    tls: true,
    db: 0,
  })
})

test.each([
  'redis://one:6379',
  'redis+sentinel://one',
  'redis+sentinel://one,/m',
  'redis+sentinel://one:x/m',
  'redis+sentinel:///m',
])('%s is not an address of Sentinels', (url) => {
  expect(sentinelAddress(url)).toBeNull()
})
