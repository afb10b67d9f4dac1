import { createServer, type NetConnectOpts, connect, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export interface Forward extends AsyncDisposable {
  readonly port: number
}

/** Passes connections to an address on, byte by byte: what listens on loopback can be reached at `host` too. */
export async function forward(host: string, to: NetConnectOpts): Promise<Forward> {
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(to)
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.on('error', () => into.destroy())
      from.on('close', () => {
        open.delete(from)
        into.destroy()
      })
      from.pipe(into)
    }
  })
  const listening = Promise.withResolvers<void>()
  server.once('error', listening.reject).listen(0, host, listening.resolve)
  await listening.promise
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
