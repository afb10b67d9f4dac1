/** A style of the style sheet that is a heading by its name: `{\s1 … Heading 1;}`, `{\s36 … Title;}`. */
const HEADING_STYLE = /\{(\\s\d+(?=\\|\s)[^{};]*?)\s(heading|title)\s*(\d?)(;\})/gi

/**
 * Marks heading styles with their outline level where the writer left that out, as some office suites do: the reader
 * goes by the level only. `Title` counts as level 1.
 */
export function markRtfHeadings(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1')
  const start = text.indexOf(String.raw`{\stylesheet`)
  if (start < 0) return bytes
  // A style sheet of a document ends long before this.
  const end = Math.min(text.length, start + 200_000)
  const sheet = text
    .slice(start, end)
    .replace(HEADING_STYLE, (whole, style: string, name: string, level: string, close: string) => {
      if (style.includes(String.raw`\outlinelevel`)) return whole
      const outline = Math.max(1, Number(level === '' ? 1 : level)) - 1
      return `{${style}\\outlinelevel${outline} ${name} ${level}${close}`
    })
  return Buffer.from(text.slice(0, start) + sheet + text.slice(end), 'latin1')
}
