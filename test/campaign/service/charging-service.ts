import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import type { Charge, FromService, ServiceRun, ToService } from './charges.ts'

/** The campaign's end of the service process. */
export class ChargingService implements AsyncDisposable {
  readonly url: string
  readonly #child: ChildProcess
  readonly #requests = new Map<string, number>()
  readonly #charges = new EventEmitter()

  private constructor(child: ChildProcess, url: string) {
    this.#child = child
    this.url = url
    child.on('message', (message: FromService) => this.#hear(message))
  }

  static async start(): Promise<ChargingService> {
    const child = fork(join(import.meta.dirname, '../processes/charging-service.ts'))
    const [message] = (await once(child, 'message')) as [FromService]
    if (message.say !== 'listening') throw new Error('the service did not say where it listens')
    return new ChargingService(child, message.url)
  }

  begin(run: ServiceRun): void {
    this.#requests.set(run.id, 0)
    this.#send({ say: 'begin', run })
  }

  /** Requests that the service has had for this run. */
  requests(id: string): number {
    return this.#requests.get(id) ?? 0
  }

  heal(id: string): void {
    this.#send({ say: 'heal', id })
  }

  /** Until the function that it returns is called, no request of the run is answered. */
  hold(id: string): () => void {
    this.#send({ say: 'hold', id })
    return () => this.#send({ say: 'release', id })
  }

  /** What was charged so far, and how it was answered. */
  async read(id: string, say: 'read' | 'end' = 'read'): Promise<readonly Charge[]> {
    const reported = once(this.#charges, id)
    this.#send({ say, id })
    const [charges] = (await reported) as [readonly Charge[]]
    return charges
  }

  /** The same at the end of the run, which the service forgets. */
  end(id: string): Promise<readonly Charge[]> {
    return this.read(id, 'end')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }

  #send(message: ToService): void {
    this.#child.send(message)
  }

  #hear(message: FromService): void {
    if (message.say === 'request') this.#requests.set(message.id, this.requests(message.id) + 1)
    if (message.say === 'charges') this.#charges.emit(message.id, message.charges)
  }
}
