/** A command that is shown to be pasted stands on a line of its own, and stays in one piece. */
const COMMAND = /^\s*(?:\S*\/)?(?:npx )?sluice \w/

/**
 * Breaks lines at spaces, so that they fit a terminal of so many columns; what follows is indented by two. Words longer
 * than a line, tables and commands are left to the terminal.
 */
export const wrapped = (text: string, columns: number): string =>
  text
    .split('\n')
    .flatMap((line) =>
      line.length <= columns || COMMAND.test(line) || /[│─]/.test(line) ? line : broken(line, columns),
    )
    .join('\n')

function broken(line: string, columns: number): string[] {
  const indent = `${/^ */.exec(line)?.[0] ?? ''}  `
  const lines: string[] = []
  let current = ''
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    if (current !== '' && current.length + 1 + word.length > columns) {
      lines.push(current)
      current = `${indent}${word.trimStart()}`
    } else {
      current = current === '' ? word : `${current} ${word}`
    }
  }
  return [...lines, current]
}
