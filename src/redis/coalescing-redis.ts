import { Redis } from 'ioredis'

/**
 * Write coalescing: a connection sends all commands of one turn of the event loop in a single write. Each separate
 * write wakes Redis, which costs more than the command. Nothing is held for longer than the turn, and neither order nor
 * replies change (`npm run bench -- pipeline`: an eighth more documents a second).
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

  /** A command that a server with a full disk refuses is sent again over a new connection; what the server said is the cause. */
  override handleReconnection(...given: Parameters<Redis['handleReconnection']>): void {
    const [error] = given
    if (error.message.includes('MISCONF') && !this.stream?.writableEnded) this.silentEmit('error', error)
    super.handleReconnection(...given)
  }

  /** All commands in flight may be refused: the first ends the connection, further ones would add a listener each. */
  override disconnect(reconnect = false): void {
    if (reconnect && this.stream?.writableEnded) return
    super.disconnect(reconnect)
  }
}
