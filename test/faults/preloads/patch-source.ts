import { registerHooks } from 'node:module'

export type Patch = readonly [from: string, to: string]

/**
 * Changes the text of one of the program's modules as it is loaded, so that a mistake can be tried without a switch in
 * the program itself. A text that is not there any more is an error: the mutant would test nothing.
 */
export function patchSource(file: string, patches: readonly Patch[]): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(file)) return loaded
      let source = Buffer.from((loaded.source ?? '') as string).toString()
      for (const [from, to] of patches) {
        if (!source.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}: mend this mutant`)
        source = source.replace(from, to)
      }
      return { ...loaded, source }
    },
  })
}
