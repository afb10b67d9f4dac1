import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openS3Client } from '#src/s3/client.ts'

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

/** What a store does with one request. */
export type StoreAnswer = (response: ServerResponse) => void

export const wholeObject =
  (bytes: Buffer, etag: string): StoreAnswer =>
  (response) => {
    response.writeHead(200, { 'content-length': bytes.length, etag: `"${etag}"` }).end(bytes)
  }

/** The head of a whole answer, some of its bytes, and then nothing more. */
export const cutObject =
  (bytes: Buffer, after: number): StoreAnswer =>
  (response) => {
    response.writeHead(200, { 'content-length': bytes.length, etag: '"one"' })
    response.write(bytes.subarray(0, after), () => setTimeout(() => response.destroy(), 20))
  }

export const storeError =
  (status: number, code: string): StoreAnswer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`)
  }

/** A store whose answers to one request after the other are given; the last one stands for all that follow. */
export async function startStoreThat(...answers: readonly StoreAnswer[]) {
  let asked = 0
  const store = await startScriptedStore((_request, response) => {
    const answer = answers[asked++] ?? answers.at(-1)
    answer?.(response)
  })
  return { ...store, asked: () => asked }
}
