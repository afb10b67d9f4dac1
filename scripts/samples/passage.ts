/** A piece of a text document, in reading order. Every writer here turns it into its format. */
export type Passage =
  | { readonly kind: 'heading'; readonly level: 1 | 2; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  /** The first row is the heading row. */
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }

export interface Slide {
  readonly title: string
  readonly passages: readonly Passage[]
  readonly notes: string
}

export const heading = (level: 1 | 2, text: string): Passage => ({ kind: 'heading', level, text })
export const paragraph = (text: string): Passage => ({ kind: 'paragraph', text })
export const list = (...items: readonly string[]): Passage => ({ kind: 'list', items })
export const table = (...rows: readonly (readonly string[])[]): Passage => ({ kind: 'table', rows })

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
