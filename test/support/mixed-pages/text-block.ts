/** Where and how a block of words is set. */
export interface Setting {
  readonly x: number
  /** Top of the block, in points from the upper edge. */
  readonly top: number
  readonly width: number
  readonly size: number
  /** Index into the fonts of the page. */
  readonly font: number
}

export interface SetLine {
  readonly text: string
  readonly x: number
  /** Baseline, in points from the upper edge. */
  readonly baseline: number
}

/** Widest common width of a letter as a share of its size, by font: lines stay inside their block. */
const LETTER_WIDTH = [0.53, 0.47, 0.6, 0.56]
const LEADING = 1.3

/** Breaks words into lines. */
export function setLines(words: readonly string[], { x, top, width, size, font }: Setting): SetLine[] {
  const most = Math.max(4, Math.floor(width / (size * (LETTER_WIDTH[font] ?? 0.6))))
  const texts: string[] = []
  for (const word of words) {
    const last = texts.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= most) texts[texts.length - 1] = `${last} ${word}`
    else texts.push(word)
  }
  return texts.map((text, index) => ({ text, x, baseline: top + size + index * size * LEADING }))
}

/** Height of so many lines, in points. */
export function heightOf(lines: number, size: number): number {
  return lines * size * LEADING + size * 0.3
}

/** Text operators for lines; `mode` 3 makes them invisible (PDF 1.7, section 9.3.6), `grey` 0 is black. */
export function textOperators(
  lines: readonly SetLine[],
  setting: Setting,
  pageHeight: number,
  style: { readonly mode?: 0 | 3; readonly grey?: number } = {},
): string {
  const begin = `BT ${style.mode ?? 0} Tr ${style.grey ?? 0} g /F${setting.font} ${setting.size} Tf\n`
  const rows = lines.map(({ text, x, baseline }) => {
    const escaped = text.replace(/[\\()]/g, (character) => `\\${character}`)
    return `1 0 0 1 ${x.toFixed(2)} ${(pageHeight - baseline).toFixed(2)} Tm (${escaped}) Tj\n`
  })
  return `${begin}${rows.join('')}ET 0 Tr 0 g\n`
}
