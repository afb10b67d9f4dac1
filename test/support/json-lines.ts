import { readFile } from 'node:fs/promises'

/** The values of JSON Lines; throws where a line is none. */
export function parseLines<T>(text: string): T[] {
  const lines = text.trimEnd()
  return lines === '' ? [] : lines.split('\n').map((line) => JSON.parse(line) as T)
}

export const readLines = async <T>(path: string): Promise<T[]> => parseLines<T>(await readFile(path, 'utf8'))
