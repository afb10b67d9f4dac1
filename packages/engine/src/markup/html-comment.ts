/** What stands beside the main content, as a comment in the Markdown. `--` within would end it for some readers. */
export function htmlComment(label: string, text: string): string {
  return `<!-- ${label}: ${text.replace(/-(?=-)/g, '- ')} -->`
}

/** A reviewer's comment, which is no main content. */
export function reviewComment(author: string, text: string): string {
  return htmlComment(author === '' ? 'comment' : `comment by ${author}`, text)
}
