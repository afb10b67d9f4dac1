/** How a style of a document names the style that it is made of. */
const AUTOMATIC_STYLE = /<style:style\s[^>]*>/g
const TITLE = 'Title'
/** What a document with a title contains. */
export const TITLE_STYLE = `"${TITLE}"`
const PARAGRAPH = /<(\/?)text:p(?=[\s>/])([^>]*)>/g

const attribute = (tag: string, name: string): string | undefined => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]

/** Names of the styles of titles: the common one, and those of single paragraphs that are made of it. */
function titleStyles(content: string): ReadonlySet<string> {
  const derived = [...content.matchAll(AUTOMATIC_STYLE)].flatMap(([tag]) =>
    attribute(tag, 'style:parent-style-name') === TITLE ? [attribute(tag, 'style:name') ?? ''] : [],
  )
  return new Set([TITLE, ...derived])
}

/**
 * The content of a text document with its title as a heading of level 1, as titles of Word documents and books are; OpenDocument
 * has it as a paragraph of a style that all writers name alike. Null where there is none.
 */
export function withTitleHeadings(content: string): string | null {
  if (!content.includes('<office:text')) return null
  const styles = titleStyles(content)
  /** Of each open paragraph, whether it is a title: a text box within a paragraph holds others. */
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
