import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Files of typefaces as Debian names them, and the packages that bring them. */
const LATIN_FACES = [
  'LiberationSans-Regular.ttf',
  'LiberationSerif-Regular.ttf',
  'LiberationMono-Regular.ttf',
  'LiberationSansNarrow-Regular.ttf',
  'LiberationSerif-Italic.ttf',
  'LiberationSans-Bold.ttf',
  'DejaVuSans.ttf',
  'DejaVuSerif.ttf',
]
/** Both have Latin letters too. */
const CHINESE_FACES = ['wqy-zenhei.ttc', 'gbsn00lp.ttf']
const PACKAGES = { latin: 'fonts-liberation fonts-dejavu-core', chinese: 'fonts-wqy-zenhei fonts-arphic-gbsn00lp' }

/** Paths of the typefaces of each script; empty where the folders hold none. */
export interface Fonts {
  readonly latin: readonly string[]
  readonly chinese: readonly string[]
}

/** Name of a typeface in a file that holds several. */
export const nameInFile = (file: string): string | undefined => (file.endsWith('.ttc') ? 'WenQuanYiZenHei' : undefined)

export function fontsIn(folders: readonly string[]): Fonts {
  const files = folders.flatMap((folder) => globSync('**/*.tt[cf]', { cwd: folder }).map((name) => join(folder, name)))
  const found = (names: readonly string[]): string[] =>
    names.flatMap((name) => files.find((file) => basename(file) === name) ?? [])
  return { latin: found(LATIN_FACES), chinese: found(CHINESE_FACES) }
}

/** A sentence for each script without a typeface. */
export function lackingFonts(fonts: Fonts): string[] {
  return (['latin', 'chinese'] as const)
    .filter((script) => fonts[script].length === 0)
    .map((script) => `no ${script} pages: none of the typefaces of ${PACKAGES[script]} is below a folder of --fonts`)
}
