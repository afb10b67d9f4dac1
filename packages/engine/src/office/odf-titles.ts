/** Matches the tag in which a style names its parent style. */
const AUTOMATIC_STYLE = /<style:style\s[^>]*>/g
const TITLE = 'Title'
/** Marker that every document with a title contains. */
export const TITLE_STYLE = `"${TITLE}"`
const PARAGRAPH = /<(\/?)text:p(?=[\s>/])([^>]*)>/g

const attribute = (tag: string, name: string): string | undefined => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]

/** Returns the names of title styles: the common one, and those of single paragraphs that derive from it. */
function titleStyles(content: string): ReadonlySet<string> {
  const derived = [...content.matchAll(AUTOMATIC_STYLE)].flatMap(([tag]) =>
    attribute(tag, 'style:parent-style-name') === TITLE ? [attribute(tag, 'style:name') ?? ''] : [],
  )
  return new Set([TITLE, ...derived])
}

/**
 * Turns the title of a text document into a heading of level 1, as in Word documents and books. OpenDocument stores it
 * as a paragraph with a style name that all writers share. Null without a title.
 */
export function withTitleHeadings(content: string): string | null {
  if (!content.includes('<office:text')) return null
  const styles = titleStyles(content)
  /** Stack of open paragraphs, true for a title. A text box within a paragraph contains others. */
  const open: boolean[] = []
  let isChanged = false
  const changed = content.replace(PARAGRAPH, (tag, slash: string, rest: string) => {
    if (slash !== '') return open.pop() === true ? '</text:h>' : tag
    const isTitle = styles.has(attribute(rest, 'text:style-name') ?? '')
    if (!rest.endsWith('/')) open.push(isTitle)
    if (!isTitle) return tag
    isChanged = true
    return `<text:h text:outline-level="1"${rest}>`
  })
  return isChanged ? changed : null
}
