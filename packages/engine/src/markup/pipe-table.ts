const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** Renders rows of one-line cells as a GFM table. The first row is its header, because GFM requires one. */
export function pipeTable(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const [header = [], ...body] = rows.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? ''))
  const rule = header.map(() => '---')
  return [line(header), line(rule), ...body.map(line)].join('\n')
}
