import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Counts, phaseOf } from './phases.ts'

export interface CountingProxy extends AsyncDisposable {
  readonly endpoint: string
  /** Requests by phase since the last call. */
  take(): Counts
}

/** Forwards everything to an object store and counts it. The signature covers the `Host` header, which passes unchanged. */
export async function startCountingProxy(to: string): Promise<CountingProxy> {
  let counts = new Map<string, number>()
  const server = createServer((request, response) => {
    const phase = phaseOf(request.method ?? '', request.url ?? '')
    counts.set(phase, (counts.get(phase) ?? 0) + 1)
    const { hostname, port } = new URL(to)
    const onward = send(
      { hostname, port, method: request.method, path: request.url, headers: request.headers, setHost: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        answer.pipe(response)
      },
    )
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = counts
      counts = new Map()
      return taken
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
