/**
 * Returns content outside the main content as a comment in the Markdown. A `--` inside would end it for some parsers.
 */
export function htmlComment(label: string, text: string): string {
  return `<!-- ${label}: ${text.replace(/-(?=-)/g, '- ')} -->`
}

/** Returns a reviewer's comment, which is outside the main content. */
export function reviewComment(author: string, text: string): string {
  return htmlComment(author === '' ? 'comment' : `comment by ${author}`, text)
}
