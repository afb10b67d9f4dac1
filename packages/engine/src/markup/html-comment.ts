/**
 * Returns content outside the main content as a comment in the Markdown. A `--` inside would end it for some parsers.
 */
export function htmlComment(label: string, text: string): string {
  return `<!-- ${label}: ${text.replace(/-(?=-)/g, '- ')} -->`
}

/** Writes a reviewer's comment as an HTML comment, so that it is no part of the main content. */
export function reviewComment(author: string, text: string): string {
  return htmlComment(author === '' ? 'comment' : `comment by ${author}`, text)
}
