/** What the Markdown of a page must show; each counts alike. */
export type Check =
  | { readonly kind: 'present' | 'absent' | 'heading'; readonly text: string }
  | { readonly kind: 'order'; readonly before: string; readonly after: string }
  /** A label and its value: side by side, one below the other in a table, or one after the other. */
  | { readonly kind: 'pair'; readonly label: string; readonly value: string }
  | { readonly kind: 'row'; readonly cells: readonly string[] }
  | { readonly kind: 'formula'; readonly text: string }
  /** Blocks of type `figure` on the page, at least. */
  | { readonly kind: 'figure'; readonly count: number }

export function holds(check: Check, markdown: string, figures: number): boolean {
  if (check.kind === 'figure') return figures >= check.count
  if (check.kind === 'pair') return isPair(check.label, check.value, markdown)
  if (check.kind === 'row') return holdsRow(check.cells, markdown)
  if (check.kind === 'order') return inOrder(plain(markdown), plain(check.before), plain(check.after))
  return TEXT_CHECKS[check.kind](check.text, markdown)
}

const holdsRow = (cells: readonly string[], markdown: string): boolean =>
  rowsOf(markdown).some((row) => row.filter(Boolean).join('|') === cells.map(plain).join('|'))

const TEXT_CHECKS: Readonly<
  Record<'present' | 'absent' | 'heading' | 'formula', (text: string, markdown: string) => boolean>
> = {
  present: (text, markdown) => plain(markdown).includes(plain(text)),
  absent: (text, markdown) => !plain(markdown).includes(plain(text)),
  heading: (text, markdown) =>
    markdown.split('\n').some((line) => /^#{1,6} /.test(line) && plain(line.replace(/^#+ /, '')) === plain(text)),
  formula: (text, markdown) =>
    markdown.split('\n').some((line) => line.startsWith('$$') && letters(line) === letters(text)),
}

function inOrder(text: string, before: string, after: string): boolean {
  const at = text.indexOf(before)
  return at >= 0 && text.includes(after, at)
}

const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\\/g, '')
    .replace(/\*\*|__/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()

const letters = (text: string): string => text.replace(/\\(?:frac|qquad|text)|[\s{}$^_]/g, '')

function rowsOf(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|(?: *:?-+:? *\|)+$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map(plain),
    )
}

function isPair(label: string, value: string, markdown: string): boolean {
  const [name, content] = [plain(label), plain(value)]
  const rows = rowsOf(markdown)
  const beside = rows.some((row) => {
    const filled = row.filter(Boolean)
    return filled.some((cell, index) => cell === name && filled[index + 1] === content)
  })
  const below = rows.some((row, at) => row.some((cell, index) => cell === name && rows[at + 1]?.[index] === content))
  return beside || below || plain(markdown).includes(`${name} ${content}`)
}
