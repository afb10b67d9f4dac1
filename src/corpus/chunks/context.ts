import type { ChunkContext } from './chunk.ts'

/** All parts of the text above a body. */
export interface ContextParts extends ChunkContext {
  readonly overlap: string
  /** Header of a table or opening fence: directly above the body, which continues it. */
  readonly repeat: string
  /** Between `repeat` and a body that starts inside a row: the pipes of the cells before it. */
  readonly lead: string
}

/** Maximum shares of the limit for headings with caption, and for repeated text, if the body could use them. */
const MAX_HEADINGS = 1 / 4
const MAX_REPEATED = 1 / 2

const SHORT_HEADING = 60

/** Renders the context before the body, line breaks included; empty for none. */
export function contextText({ title, headings, caption, overlap, repeat, lead }: ContextParts): string {
  const path = (title === null ? headings : [title, ...headings]).join(' > ')
  const parts = [path, caption ?? '', overlap].filter((part) => part !== '')
  return parts.map((part) => `${part}\n\n`).join('') + (repeat === '' ? '' : `${repeat}\n${lead}`)
}

/** Shortens from everything to nothing: drops the least informative part first, a table's header last. */
export function* shorterContexts(parts: ContextParts): Generator<ContextParts> {
  yield parts
  let left = parts
  if (left.overlap !== '') yield (left = { ...left, overlap: '' })
  while (left.title !== null || left.headings.length > 1) {
    yield (left =
      left.title !== null && left.headings.length > 0
        ? { ...left, title: null }
        : left.headings.length > 1
          ? { ...left, headings: left.headings.slice(1) }
          : { ...left, title: null, headings: [left.title ?? ''] })
  }
  const [heading = ''] = left.headings
  if (heading.length > SHORT_HEADING) yield (left = { ...left, headings: [shortened(heading)] })
  if (left.caption !== null) yield (left = { ...left, caption: null })
  if (left.headings.length > 0) yield (left = { ...left, headings: [] })
  if (left.repeat !== '') yield { ...left, repeat: '' }
}

function shortened(heading: string): string {
  const cut = heading.slice(0, SHORT_HEADING)
  const space = cut.lastIndexOf(' ')
  const end = space > SHORT_HEADING / 2 ? space : cut.length
  const last = cut.charCodeAt(end - 1)
  // Never splits a surrogate pair.
  return `${cut.slice(0, last >= 0xd800 && last < 0xdc00 ? end - 1 : end)}…`
}

/** Parts of a context, and its rendered text. */
export interface UsualContext {
  readonly parts: ContextParts
  readonly text: string
  readonly tokens: number
}

export const NO_CONTEXT: UsualContext = {
  parts: { title: null, headings: [], caption: null, overlap: '', repeat: '', lead: '' },
  text: '',
  tokens: 0,
}

/** Returns the longest context that leaves most of the limit to the body. */
export function usualContext(parts: ContextParts, limit: number, count: (text: string) => number): UsualContext {
  for (const left of shorterContexts(parts)) {
    const repeated = left.repeat === '' ? 0 : count(`${left.repeat}\n${left.lead}`)
    if (repeated > limit * MAX_REPEATED) continue
    const text = contextText(left)
    const tokens = count(text)
    if (tokens - repeated <= limit * MAX_HEADINGS) return { parts: left, text, tokens }
  }
  return NO_CONTEXT
}
