import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { listen, type Listening } from './listen.ts'

export interface SilentServer extends Listening {
  readonly connections: () => number
}

export async function silentServer(): Promise<SilentServer> {
  let connections = 0
  const server = createServer(() => undefined).on('connection', () => (connections += 1))
  return { ...(await listen(server)), connections: () => connections }
}

export interface ProxyOptions {
  /** Answers requests for `http:` addresses instead of their servers. */
  readonly answers?: (incoming: IncomingMessage, outgoing: ServerResponse) => void
  /** `user:password` that it wants. */
  readonly password?: string
}

/** Forwards what it is asked for, in both forms that clients use. */
export async function openProxy({ answers, password }: ProxyOptions = {}): Promise<SilentServer> {
  let used = 0
  const refuses = ({ headers }: IncomingMessage): boolean =>
    password !== undefined && headers['proxy-authorization'] !== `Basic ${Buffer.from(password).toString('base64')}`
  const server = createServer((incoming, outgoing) => {
    used += 1
    if (refuses(incoming)) return void outgoing.writeHead(407, { 'proxy-authenticate': 'Basic' }).end()
    if (answers !== undefined) return answers(incoming, outgoing)
    const onward = request(incoming.url ?? '', { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  server.on('connect', (incoming, socket) => {
    used += 1
    if (refuses(incoming)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    const [host = '', port = ''] = (incoming.url ?? '').split(':')
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    for (const end of [onward, socket]) end.on('error', () => (onward.destroy(), socket.destroy()))
  })
  return { ...(await listen(server)), connections: () => used }
}
