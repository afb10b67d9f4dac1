/** A token of `Placeholders` in ASCII, in a group of its own. */
export function escapedToken(token: string): string {
  return `{${token.replace(/[^\d]/g, (mark) => `\\u${mark.charCodeAt(0) - 0x1_0000}?`)}}`
}
