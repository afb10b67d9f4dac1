import type { Document, LineCounter } from 'yaml'

/** Locates keys in the settings file and collects the problems found there. */
export interface FileLocator {
  /** `sluice.yaml:12`: the line of a key or of the innermost part of its path that is there. */
  at(path: readonly (string | number)[]): string
  note(path: readonly (string | number)[], message: string): void
  /** Records a key without effect. */
  warn(path: readonly (string | number)[], message: string): void
}

/** What a file holds beside its settings, each as `sluice.yaml:12: what is wrong`. */
export interface FileNotes {
  readonly problems: string[]
  readonly warnings: string[]
}

/** `name` is how the notes call the file. */
export function locatorIn(document: Document, lines: LineCounter, name: string, notes: FileNotes): FileLocator {
  const at = (path: readonly (string | number)[]): string => `${name}:${lineOf(document, lines, path)}`
  return {
    at,
    note: (path, message) => void notes.problems.push(`${at(path)}: ${message}`),
    warn: (path, message) => void notes.warnings.push(`${at(path)}: ${message}`),
  }
}

/** The line of a key; for an item of a list that of the item; for what is not there, that of what it would be in. */
function lineOf(document: Document, lines: LineCounter, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const offset = offsetIn(parent, path[length - 1])
    if (offset !== null) return lines.linePos(offset).line
  }
  return 1
}

interface Ranged {
  readonly range?: readonly [number, number, number] | null
}
interface Items {
  readonly items?: readonly ((Ranged & { readonly key?: (Ranged & { readonly value?: unknown }) | null }) | null)[]
}

function offsetIn(parent: unknown, step: string | number | undefined): number | null {
  const items = (parent as Items | null | undefined)?.items ?? []
  const item = typeof step === 'number' ? items[step] : items.find((pair) => String(pair?.key?.value) === step)
  return item?.key?.range?.[0] ?? item?.range?.[0] ?? null
}
