import { connect, createServer, type Socket } from 'node:net'
import { listen, type Listening } from './listen.ts'

export interface LossyLine extends Listening {
  /** Answers that were lost. */
  readonly lost: number
  /** The next bytes from the server are thrown away, and the connection that they were for is broken. */
  loseNextAnswer(): void
  /** The next bytes to the server are thrown away, and the connection that they came by is broken. */
  loseNextRequest(): void
}

/**
 * A line from `host` to the server at `to` (an address or a unix socket) that can lose a command, or the answer of one that
 * was carried out.
 */
export async function lossyLine(to: string, host = '127.0.0.1'): Promise<LossyLine> {
  let [losing, losingRequest, lost] = [false, false, 0]
  const server = createServer((near) => {
    const far = connectTo(to)
    const cut = (): void => {
      near.destroy()
      far.destroy()
    }
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      // What the other side was sent before still arrives there.
      socket.on('error', () => other.destroySoon()).on('close', () => other.destroySoon())
    }
    near.on('data', (bytes) => {
      if (losingRequest) {
        losingRequest = false
        cut()
      } else far.write(bytes)
    })
    far.on('data', (bytes) => {
      if (losing) {
        losing = false
        lost += 1
        cut()
      } else near.write(bytes)
    })
  })
  const listening = await listen(server, { scheme: 'redis', host })
  return {
    url: listening.url,
    port: listening.port,
    get lost() {
      return lost
    },
    loseNextAnswer: () => void (losing = true),
    loseNextRequest: () => void (losingRequest = true),
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  }
}

function connectTo(address: string): Socket {
  if (address.startsWith('/')) return connect(address)
  const { hostname, port } = new URL(address)
  return connect(Number(port), hostname)
}
