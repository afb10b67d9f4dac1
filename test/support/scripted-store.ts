import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openS3Client } from '#src/sources/s3-client.ts'

/** A store over real HTTP that answers as it is told, and a client of it. */
export async function startScriptedStore(answer: RequestListener) {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = openS3Client({ endpoint, accessKeyId: 'key', secretAccessKey: 'secret' })
  return {
    client,
    async [Symbol.asyncDispose]() {
      client.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
