import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Characters of text between two garbage collections of a streaming conversion. */
const COLLECT_EVERY_CHARACTERS = 8 * 1024 ** 2

let collect: (() => void) | null = null

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/**
 * Counts characters and periodically collects garbage. V8 lets the heap grow to its limit before it collects. The limit
 * of a converter process allows for documents that need a tree.
 */
export class GarbagePacer {
  #characters = 0

  countCharacters(characters: number): void {
    this.#characters += characters
    if (this.#characters < COLLECT_EVERY_CHARACTERS) return
    this.#characters = 0
    collect ??= garbageCollector()
    collect()
  }
}
