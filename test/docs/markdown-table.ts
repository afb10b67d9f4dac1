/** Cells of the table between `<!-- name -->` and `<!-- /name -->`, a row each, without code marks; the header is left out. */
export function tableIn(page: string, name: string): readonly (readonly string[])[] {
  const [, text = ''] = new RegExp(`<!-- ${name} -->\\n+([^]*?)\\n+<!-- /${name} -->`).exec(page) ?? []
  const rows = text.split('\n').slice(2)
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}
