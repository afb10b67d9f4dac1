/** Searches for a redis-server with the cache folder in argv; prints `found <command>` or `none <message>`. */
import { findRedisServer } from '#src/redis/private-server/server-binary.ts'

const [cacheDir = ''] = process.argv.slice(2)
try {
  const { command } = await findRedisServer({ cacheDir })
  console.log(`found ${command}`)
} catch (error) {
  console.log(`none ${error instanceof Error ? error.message : String(error)}`)
}
