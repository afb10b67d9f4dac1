import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Text after which a conversion that streams collects its garbage. */
const EVERY_CHARACTERS = 8 * 1024 ** 2

let collect: (() => void) | null = null

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/**
 * Counts text that was read and collects garbage now and then. V8 lets the heap grow to its limit before it does so by
 * itself, and the limit of a converter process is made for documents that need a tree.
 */
export class GarbagePacer {
  #characters = 0

  read(characters: number): void {
    this.#characters += characters
    if (this.#characters < EVERY_CHARACTERS) return
    this.#characters = 0
    collect ??= garbageCollector()
    collect()
  }
}
