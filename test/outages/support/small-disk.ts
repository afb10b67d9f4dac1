import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { TestContext } from 'vitest'

const run = promisify(execFile)

/** A disk of a size that a test can fill, mounted on a folder. */
export class SmallDisk implements AsyncDisposable {
  readonly #path: string

  private constructor(path: string) {
    this.#path = path
  }

  /** The reason where this machine does not let us mount: a container without the right to. */
  static async mount(path: string, size: string): Promise<SmallDisk | string> {
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path])
      return new SmallDisk(path)
    } catch (error) {
      return `a small disk cannot be mounted here: ${error instanceof Error ? error.message : String(error)}`
    }
  }

  /** Skips the test where this machine does not let us mount. */
  static async mountOrSkip(path: string, size: string, context: TestContext): Promise<SmallDisk> {
    const disk = await SmallDisk.mount(path, size)
    return typeof disk === 'string' ? context.skip(disk) : disk
  }

  async resize(size: string): Promise<void> {
    await run('mount', ['-o', `remount,size=${size}`, this.#path])
  }

  /** Refused while a file is open for writing, so it is asked until it comes to pass. */
  async makeReadOnly(): Promise<void> {
    for (;;) {
      try {
        await run('mount', ['-o', 'remount,ro', this.#path])
        return
      } catch (error) {
        if (!/busy/.test(String(error))) throw error
      }
    }
  }

  async makeWritable(): Promise<void> {
    await run('mount', ['-o', 'remount,rw', this.#path])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('umount', ['--lazy', this.#path])
  }
}
