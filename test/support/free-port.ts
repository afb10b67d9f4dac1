import { createServer } from 'node:net'
import { listen } from './listen.ts'

/** Ports of loopback on which nothing listens at this moment. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const held = await Promise.all(Array.from({ length: count }, () => listen(createServer())))
  await Promise.all(held.map((each) => each[Symbol.asyncDispose]()))
  return held.map(({ port }) => port)
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}
