import type { Plugin } from 'rolldown'
import type { Patch } from './mutants.ts'

/** Plants mistakes as the program is bundled. A text that is not there any more is an error: it would test nothing. */
export function applyMutations(patches: readonly Patch[]): Plugin {
  const open = new Set(patches)
  return {
    name: 'planted mistakes',
    transform(code: string, id: string): string {
      let text = code
      for (const patch of patches.filter(([file]) => id.endsWith(file))) {
        const [file, from, to] = patch
        if (!text.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}: mend this mutant`)
        text = text.replace(from, () => to)
        open.delete(patch)
      }
      return text
    },
    buildEnd(error?: Error): void {
      if (error === undefined && open.size > 0) throw new Error(`not in the program: ${[...open].join(', ')}`)
    },
  }
}
