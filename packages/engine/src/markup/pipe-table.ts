const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** A GFM table of rows whose cells are already one line each. The first row is its header: GFM has no table without. */
export function pipeTable(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const [header = [], ...body] = rows.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? ''))
  const rule = header.map(() => '---')
  return [line(header), line(rule), ...body.map(line)].join('\n')
}
