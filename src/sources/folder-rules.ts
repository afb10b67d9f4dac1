import ignore, { type Ignore } from 'ignore'
import picomatch from 'picomatch'

/** Name of the files that hold ignore rules, in the syntax of gitignore, each for its own folder and below. */
export const IGNORE_FILE = '.sluiceignore'

export interface Filter {
  /** Globs on the key. A glob without `/` is held against the last part of the key. None: everything. */
  readonly include?: readonly string[]
  /** As `include`; wins over it. A folder that matches is not entered. */
  readonly exclude?: readonly string[]
  /** Whether names that begin with a dot count. Default false. */
  readonly hidden?: boolean
}

/** Names under which programs write what they then rename: downloads, uploads, and the locks of office programs. */
const TEMPORARY = /^~\$|\.(?:part|partial|filepart|crdownload|download|tmp)$/i

/** Decides by name alone what belongs to a source. Folders have keys without a slash at the end. */
export interface NameRules {
  wantsFile(key: string, name: string): boolean
  wantsFolder(key: string, name: string): boolean
}

export function nameRules(filter: Filter): NameRules {
  const included = matcher(filter.include ?? [])
  const excluded = matcher(filter.exclude ?? [])
  // In a bucket `.` and `..` are names like any other.
  const shown = (name: string): boolean => filter.hidden === true || !/^\.(?!\.?$)/.test(name)
  return {
    wantsFile: (key, name) =>
      shown(name) && !TEMPORARY.test(name) && (included?.(key) ?? true) && !(excluded?.(key) ?? false),
    wantsFolder: (key, name) => name !== '.sluice' && shown(name) && !(excluded?.(key) ?? false),
  }
}

/** The same rules for sources that are listed flat: a key belongs when each folder on its way and itself do. */
export function wantsKey(filter: Filter): (key: string) => boolean {
  const rules = nameRules(filter)
  return (key) => {
    const names = key.split('/')
    const name = names.pop() ?? ''
    let folder = ''
    for (const above of names) {
      folder += above
      if (!rules.wantsFolder(folder, above)) return false
      folder += '/'
    }
    return rules.wantsFile(key, name)
  }
}

function matcher(globs: readonly string[]): ((key: string) => boolean) | null {
  if (globs.length === 0) return null
  const matches = globs.map((glob) => picomatch(glob, { dot: true, basename: !glob.includes('/') }))
  return (key) => matches.some((match) => match(key))
}

/** The library remembers every path it was asked about; a fresh one from time to time keeps memory flat. */
const TESTS_PER_MATCHER = 10_000

/** The rules of one ignore file, and of those in the folders above it. The deepest that says something decides. */
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
