import { connect, type Socket } from 'node:net'

/** `loading`: the server runs, but still loads its data or is too busy to answer. */
export type RedisState = 'ready' | 'loading' | 'absent'

/** Timeout of a silent connection: the server is busy, not gone. */
const ANSWER_PATIENCE_MS = 2_000

/** Health check (PING) of the server behind a unix socket. Never rejects: silence is a state, too. */
export function probeRedis(socketPath: string): Promise<RedisState> {
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    const finish = (state: RedisState): void => {
      socket.destroy()
      resolve(state)
    }
    socket.setTimeout(ANSWER_PATIENCE_MS, () => finish(socket.connecting ? 'absent' : 'loading'))
    socket.once('error', () => finish('absent'))
    socket.once('close', () => finish('absent'))
    socket.once('data', (reply) => finish(reply.toString().startsWith('+PONG') ? 'ready' : 'loading'))
    socket.write('PING\r\n')
  })
}

/**
 * Asks the server to end at once and flush its data. After SIGTERM alone it ends at its next housekeeping, up to 100 ms
 * later. Reports no result: the regular shutdown continues in parallel.
 */
export function requestShutdown(socketPath: string): void {
  const socket = connect(socketPath, () => socket.write('SHUTDOWN NOSAVE\r\n'))
  socket.unref()
  socket.setTimeout(ANSWER_PATIENCE_MS, () => socket.destroy())
  socket.on('error', () => undefined)
  socket.resume()
}

/** Resolves when the server behind a unix socket is gone, or when `signal` aborts. */
export function untilRedisEnds(socketPath: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const socket: Socket = connect(socketPath)
    const cut = (): unknown => socket.destroy()
    signal.addEventListener('abort', cut, { once: true })
    if (signal.aborted) cut()
    socket.unref()
    socket.once('error', () => undefined)
    socket.once('close', () => {
      signal.removeEventListener('abort', cut)
      resolve()
    })
  })
}
