import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** How a bucket is treated from now on. */
export interface Treatment {
  readonly bucket: string
  readonly seed: number
  /** Share of its requests that meet a fault, 0 to 1. */
  readonly errorRate: number
  /** Milliseconds from the treatment's arrival in which writes get no answer; then their connections are cut. */
  readonly hangMs?: number
  /** Requests that are refused with 403, as a policy does it. */
  readonly denies?: 'writes' | 'deletions'
  /** Another error rate for this many requests. A count, no duration: a slow machine may send none in that time. */
  readonly storm?: { readonly requests: number; readonly errorRate: number }
}

/** The campaign's handle on the fault-injecting proxy process between its workers and the object store. */
export class S3Proxy implements AsyncDisposable {
  readonly endpoint: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, endpoint: string) {
    this.#child = child
    this.endpoint = endpoint
  }

  static async start(store: string): Promise<S3Proxy> {
    const child = fork(join(import.meta.dirname, '../processes/s3-proxy.ts'), [store])
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
