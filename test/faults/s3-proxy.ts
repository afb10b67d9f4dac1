import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** How a bucket is treated from now on. */
export interface Treatment {
  readonly bucket: string
  readonly seed: number
  /** Share of its requests that do not simply come through, 0 to 1. */
  readonly errorRate: number
  /** From its arrival on writes get no answer for so long; then their connections are cut. */
  readonly hangMs?: number
  /** Requests that are refused with 403, as a policy does it. */
  readonly denies?: 'writes' | 'deletions'
  /** For so many requests another rate counts. Not for a time: on a slow machine nobody would have come by then. */
  readonly storm?: { readonly requests: number; readonly errorRate: number }
}

/** The campaign's end of the process that stands between its workers and the object store. */
export class S3Proxy implements AsyncDisposable {
  readonly endpoint: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, endpoint: string) {
    this.#child = child
    this.endpoint = endpoint
  }

  static async start(store: string): Promise<S3Proxy> {
    const child = fork(join(import.meta.dirname, 'processes/s3-proxy.ts'), [store])
    const [endpoint] = (await once(child, 'message')) as [string]
    return new S3Proxy(child, endpoint)
  }

  treat(treatment: Treatment): void {
    this.#child.send(treatment)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }
}
