/** Opens the embedded Redis of the data folder in argv and stays. On SIGTERM it closes it and ends. */
import { connectRedis } from '#src/redis/connection.ts'
import { openEmbeddedRedis } from '#src/redis/private-server/private-redis.ts'

const [dataDir = '', cacheDir = ''] = process.argv.slice(2)
const server = await openEmbeddedRedis({ dataDir, cacheDir })
const connection = await connectRedis({ url: server.url })
const staying = setInterval(() => undefined, 1000)
process.once('SIGTERM', async () => {
  connection.disconnect()
  await server[Symbol.asyncDispose]()
  clearInterval(staying)
})
console.log(`ready ${server.url}`)
