import { type Line, lineAfter, lineAt } from './markdown-lines.ts'

/** Elements whose content is no Markdown, blank lines included. */
const RAW = new Set(['table', 'pre', 'script', 'style', 'textarea'])

/** Where blocks of HTML end. What was not found once is not searched for again: a scan takes one pass a tag. */
export class HtmlEnds {
  readonly #text: string
  readonly #missing = new Set<string>()

  constructor(text: string) {
    this.#text = text
  }

  /** A comment and an element without Markdown end where they are closed; others, and what is never closed, at a blank line. */
  of(first: Line): number {
    const text = this.#text
    if (text.startsWith('<!--', first.text)) {
      const close = this.#find('-->', /-->/g, first.text + 4)
      if (close !== -1) return lineAt(text, close)?.end ?? first.end
    }
    const name = /^<([a-z]+)/i.exec(text.slice(first.text, Math.min(first.end, first.text + 12)))?.[1]?.toLowerCase()
    if (name !== undefined && RAW.has(name)) {
      const close = this.#find(name, new RegExp(`</${name}\\s*>`, 'gi'), first.text)
      if (close !== -1) return lineAt(text, close)?.end ?? first.end
    }
    let last = first
    for (let line = lineAfter(text, first); line !== null && !line.isBlank; line = lineAfter(text, line)) last = line
    return last.end
  }

  #find(name: string, pattern: RegExp, from: number): number {
    if (this.#missing.has(name)) return -1
    pattern.lastIndex = from
    const found = pattern.exec(this.#text)
    if (found === null) this.#missing.add(name)
    return found?.index ?? -1
  }
}
