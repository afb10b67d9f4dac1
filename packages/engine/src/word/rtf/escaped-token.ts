/** Returns a token of `Placeholders` in ASCII, in a separate group. */
export function escapedToken(token: string): string {
  return `{${token.replace(/[^\d]/g, (mark) => `\\u${mark.charCodeAt(0) - 0x1_0000}?`)}}`
}
