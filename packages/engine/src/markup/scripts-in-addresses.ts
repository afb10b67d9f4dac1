/** Control characters and white space, which browsers ignore in a scheme. */
const PASSED_OVER = /[\u0000-\u0020\u007f-\u00a0\u200b\ufeff]+/g

/**
 * Escapes an address so that Markdown reads it literally. It escapes character references and escapes, so that
 * `&#106;avascript:` never becomes a script.
 */
export function literalAddress(address: string): string {
  return address.replace(/\\(?=[!-/:-@[-`{-~])|&(?=#?\w+;)/g, String.raw`\$&`)
}

/** True if an address runs a script: `javascript:`, `vbscript:`, or a page or script in the address itself. */
export function runsScript(address: string): boolean {
  const start = address.slice(0, 300).replace(PASSED_OVER, '')
  return /^(?:javascript|vbscript|livescript|mocha):|^data:(?:text\/(?:html|xml|javascript)|application\/(?:xhtml\+xml|xml|(?:x-)?javascript))/i.test(
    start,
  )
}
