import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

export interface SilentServer extends AsyncDisposable {
  readonly url: string
  readonly connections: () => number
}

/** Accepts connections and answers nothing. */
export async function silentServer(): Promise<SilentServer> {
  let connections = 0
  const server = createServer(() => undefined).on('connection', () => (connections += 1))
  return serving(server, () => connections)
}

async function serving(server: Server, connections: () => number): Promise<SilentServer> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Forwards what it is asked for, in both forms that clients use. */
export async function openProxy(): Promise<SilentServer> {
  let used = 0
  const server = createServer((incoming, outgoing) => {
    used += 1
    const onward = request(incoming.url ?? '', { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  server.on('connect', (incoming, socket) => {
    used += 1
    const [host = '', port = ''] = (incoming.url ?? '').split(':')
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    for (const end of [onward, socket]) end.on('error', () => (onward.destroy(), socket.destroy()))
  })
  return serving(server, () => used)
}
