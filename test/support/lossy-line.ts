import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface LossyLine extends AsyncDisposable {
  readonly url: string
  /** Answers that were lost. */
  readonly lost: number
  /** The next bytes from the server are thrown away, and the connection that they were for is broken. */
  loseNextAnswer(): void
  /** The next bytes to the server are thrown away, and the connection that they came by is broken. */
  loseNextRequest(): void
}

/** A line to the Redis at `url` that can lose a command, or the answer of one that was carried out. */
export async function lossyLine(url: string): Promise<LossyLine> {
  const open = new Set<Socket>()
  let [losing, losingRequest, lost] = [false, false, 0]
  const server = createServer((near) => {
    const far = toRedis(url)
    const end = (): void => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) open.add(socket.on('error', end).on('close', end))
    near.on('data', (bytes) => {
      if (losingRequest) {
        losingRequest = false
        end()
      } else far.write(bytes)
    })
    far.on('data', (bytes) => {
      if (losing) {
        losing = false
        lost += 1
        end()
      } else near.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get lost() {
      return lost
    },
    loseNextAnswer: () => void (losing = true),
    loseNextRequest: () => void (losingRequest = true),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

function toRedis(url: string): Socket {
  if (url.startsWith('/')) return connect(url)
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname)
}
