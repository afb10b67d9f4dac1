import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { openS3Client } from '#src/s3/client.ts'
import { listen } from './listen.ts'

/** A store over real HTTP that answers as it is scripted, and a client of it. */
export async function startScriptedStore(answer: RequestListener) {
  const server = await listen(createServer(answer))
  const endpoint = server.url
  const client = openS3Client({ endpoint, accessKeyId: 'key', secretAccessKey: 'secret' })
  return {
    client,
    endpoint,
    async [Symbol.asyncDispose]() {
      client.destroy()
      await server[Symbol.asyncDispose]()
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
