import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')

export interface Page {
  /** Path below the root of the repository. */
  readonly path: string
  readonly text: string
}

/** Every Markdown page that users and engineers read. */
export async function pages(): Promise<readonly Page[]> {
  const inDocs = (await readdir(join(ROOT, 'docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
  const inRoot = (await readdir(ROOT)).filter((name) => name.endsWith('.md'))
  return Promise.all(
    [...inRoot, ...inDocs].map(async (path) => ({ path, text: await readFile(join(ROOT, path), 'utf8') })),
  )
}

/** A command of Sluice as a page prints it: with a prompt or without, variables before it, an explanation behind two spaces. */
const COMMAND = /^(?:\$ )?((?:[A-Z_]+=\S+ )*\.\/sluice(?: .*)?)$/

/** The commands in the code blocks of a page, a line each; an explanation behind it is left out. */
export function commandsIn({ text }: Page): readonly string[] {
  const blocks = [...text.matchAll(/^```[a-z]*\n([^]*?)^```$/gm)].map(([, block = '']) => block)
  const lines = blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
  return lines.flatMap((line) => {
    const [, command] =
      COMMAND.exec(
        line
          .replace(/ {2,}\S.*$/, '')
          .replace(/ #.*$/, '')
          .trimEnd(),
      ) ?? []
    return command === undefined ? [] : [command]
  })
}

/** Words of a command as a shell splits it: quotes hold a word together. Variables before the program are left out. */
export function wordsOf(command: string): readonly string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []
  const plain = words.map((word) => word.replaceAll(/["']/g, ''))
  return plain.slice(plain.indexOf('./sluice') + 1)
}

/** Anchors of a page's headings, as GitHub makes them. */
export function anchorsIn(text: string): ReadonlySet<string> {
  const headings = [...text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title)
  return new Set(
    headings.map((title) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** Commands that a page shows because they are wrong, each with the sentence that answers it there, on one line. */
export function mistakesIn({ text }: Page): readonly { readonly command: string; readonly said: string }[] {
  const blocks = [...text.matchAll(/^```[a-z]*\n([^]*?)^```$/gm)].map(([, block = '']) => block)
  return blocks
    .flatMap((block) => block.split(/^\$ /m).slice(1))
    .flatMap((shown) => {
      const [command = '', ...lines] = shown.trimEnd().split('\n')
      const said = lines.join(' ').replaceAll(/\s+/g, ' ')
      return command.includes('./sluice ') && /^(?:sluice|error): /.test(said) ? [{ command, said }] : []
    })
}
