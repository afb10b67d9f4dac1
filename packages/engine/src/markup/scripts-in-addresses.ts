/** Control characters and white space, which browsers pass over in a scheme. */
const PASSED_OVER = /[\u0000-\u0020\u007f-\u00a0\u200b\ufeff]+/g

/**
 * An address as Markdown takes it literally: what it would read as a reference to a character or as an escape is escaped, so
 * that `&#106;avascript:` is no script there either.
 */
export function literalAddress(address: string): string {
  return address.replace(/\\(?=[!-/:-@[-`{-~])|&(?=#?\w+;)/g, String.raw`\$&`)
}

/** Whether following an address runs a script: `javascript:`, `vbscript:`, or a page or script that the address itself holds. */
export function runsScript(address: string): boolean {
  const start = address.slice(0, 300).replace(PASSED_OVER, '')
  return /^(?:javascript|vbscript|livescript|mocha):|^data:(?:text\/(?:html|xml|javascript)|application\/(?:xhtml\+xml|xml|(?:x-)?javascript))/i.test(
    start,
  )
}
