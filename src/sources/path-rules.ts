import ignore, { type Ignore } from 'ignore'
import picomatch from 'picomatch'
import type { SkipReason } from '#src/document/skip.ts'

/** Name of ignore files, in the syntax of gitignore; each applies to its folder and below. */
export const IGNORE_FILE = '.sluiceignore'

export interface Filter {
  /** Globs on the key. A glob without `/` matches the last segment of the key. Default: everything. */
  readonly include?: readonly string[]
  /** Like `include`, with precedence over it. The walk does not enter a matching folder. */
  readonly exclude?: readonly string[]
  /** True includes names that start with a dot. Default false. */
  readonly hidden?: boolean
}

/** Temporary names that programs later rename: downloads and uploads. */
const TEMPORARY = /\.(?:part|partial|filepart|crdownload|download|tmp)$/i

/** Files of office programs (locks) and operating systems (thumbnails, folder views, resource forks, shortcuts). */
const SYSTEM_FILE =
  /^(?:~\$.*|\.~lock\..*#|\._.*|\.DS_Store|\.localized|\.directory|\.sluiceignore|(?:eh)?thumbs(?:_vista)?\.db|desktop\.ini|icon\r|.*\.lnk)$/i
const SYSTEM_FOLDER =
  /^(?:__MACOSX|\$RECYCLE\.BIN|System Volume Information|@eaDir|\.Trash.*|\.Trashes|\.Spotlight-V100|\.fseventsd)$/i

/** State folder of a run, next to its outputs. */
const OWN_FOLDER = '.sluice'

/**
 * Decides by name alone if a path belongs to a source. Returns null if it does, and the reason for skipping it otherwise.
 * Keys of folders have no slash at the end. A `hidden` or `system` folder passes its reason to its files. The walk does
 * not enter a folder that is `excluded` or Sluice's own.
 */
export interface NameRules {
  skipsFile(key: string, name: string): SkipReason | null
  skipsFolder(key: string, name: string): 'hidden' | 'system' | 'excluded' | 'store' | null
}

export function nameRules(filter: Filter): NameRules {
  const included = matcher(filter.include ?? [])
  const excluded = matcher(filter.exclude ?? [])
  // In a bucket `.` and `..` are ordinary names.
  const shown = (name: string): boolean => filter.hidden === true || !/^\.(?!\.?$)/.test(name)
  return {
    skipsFile(key, name) {
      if (SYSTEM_FILE.test(name)) return 'system'
      if (!shown(name)) return 'hidden'
      if (TEMPORARY.test(name)) return 'temporary'
      return (included?.(key) ?? true) && !(excluded?.(key) ?? false) ? null : 'excluded'
    },
    skipsFolder(key, name) {
      if (name === OWN_FOLDER) return 'store'
      if (excluded?.(key) ?? false) return 'excluded'
      if (SYSTEM_FOLDER.test(name)) return 'system'
      return shown(name) ? null : 'hidden'
    },
  }
}

/** Reason to skip a key of a source with a flat listing: its own name, or a folder on its path. Null belongs. */
export function keyRules(filter: Filter): (key: string) => SkipReason | null {
  const rules = nameRules(filter)
  return (key) => {
    const names = key.split('/')
    const name = names.pop() ?? ''
    let folder = ''
    for (const above of names) {
      folder += above
      const reason = rules.skipsFolder(folder, above)
      if (reason !== null) return reason === 'store' ? 'system' : reason
      folder += '/'
    }
    return rules.skipsFile(key, name)
  }
}

function matcher(globs: readonly string[]): ((key: string) => boolean) | null {
  if (globs.length === 0) return null
  const matches = globs.map((given) => {
    const glob = tidied(given)
    return picomatch(glob, { dot: true, basename: !glob.includes('/') })
  })
  return (key) => matches.some((match) => match(key))
}

/** `./a` is `a`; `a/` is everything below a folder `a`, and `.` everything. */
function tidied(given: string): string {
  const glob = given.replace(/^(?:\.\/+)+/, '')
  const folder = glob.replace(/\/+$/, '')
  if (folder === '' || folder === '.') return '**'
  if (folder === glob) return glob
  return folder.includes('/') ? `${folder}/**` : `**/${folder}/**`
}

/** The library caches every path; a fresh instance from time to time bounds its memory. */
const TESTS_PER_MATCHER = 10_000

/** Rules of one ignore file, and of those in the folders above it. The deepest matching rule decides. */
export class IgnoreRules {
  readonly #parent: IgnoreRules | null
  readonly #folderKey: string
  readonly #text: string
  #matcher: Ignore
  #tests = 0

  /** `folderKey` ends in a slash, or is empty for the root. */
  constructor(text: string, folderKey: string, parent: IgnoreRules | null) {
    this.#text = text
    this.#folderKey = folderKey
    this.#parent = parent
    this.#matcher = compile(text)
  }

  /** `key` of a folder ends in a slash. */
  ignores(key: string): boolean {
    if (++this.#tests % TESTS_PER_MATCHER === 0) this.#matcher = compile(this.#text)
    const { ignored, unignored } = this.#matcher.test(key.slice(this.#folderKey.length))
    if (ignored || unignored) return ignored
    return this.#parent?.ignores(key) ?? false
  }
}

function compile(text: string): Ignore {
  return ignore({ ignorecase: false, allowRelativePaths: true }).add(text)
}
