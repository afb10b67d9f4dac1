import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

export interface Listening extends AsyncDisposable {
  /** Without a path: `http://127.0.0.1:<port>`. */
  readonly url: string
  readonly port: number
}

interface ListenOptions {
  readonly scheme?: 'http' | 'https' | 'redis'
  readonly host?: string
  /** Default: a free one. */
  readonly port?: number
}

/** Lets a server listen, by default on a free port of loopback; disposing of it cuts its connections. */
export async function listen(
  server: Server,
  { scheme = 'http', host = '127.0.0.1', port: wanted = 0 }: ListenOptions = {},
): Promise<Listening> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => open.add(socket.once('close', () => open.delete(socket))))
  server.listen(wanted, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `${scheme}://${host}:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      // A test may have closed it before.
      const closed = server.listening ? once(server, 'close') : null
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
