import picomatch from 'picomatch'

export interface NeverSend {
  readonly stays: (key: string) => boolean
  /** Globs that no key has matched yet: a typo protects nothing. */
  readonly unmatched: () => readonly string[]
}

/**
 * True if a document must stay on this machine. It fails safe: a glob that matches a folder or an archive covers its
 * complete content. It ignores case and the Unicode encoding of accents.
 */
export function neverSendMatcher(globs: readonly string[]): NeverSend {
  const matchers = globs.map((glob) => ({ glob, matches: matcherOf(glob) }))
  const open = new Set(matchers)
  const stays = (key: string): boolean => {
    if (matchers.length === 0) return false
    const paths = pathsTo(folded(key))
    for (const matcher of open) if (paths.some((path) => matcher.matches(path))) open.delete(matcher)
    return paths.some((path) => matchers.some(({ matches }) => matches(path)))
  }
  return { stays, unmatched: () => [...open].map(({ glob }) => glob) }
}

const folded = (text: string): string => text.normalize('NFC').toLowerCase()

function matcherOf(given: string): (path: string) => boolean {
  const pattern = folded(given.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, ''))
  if (pattern === '' || pattern === '.') return () => true
  return picomatch(pattern, { dot: true, nocase: true, basename: !pattern.includes('/') })
}

/** Lists the key and every folder or archive above it: `a`, `a/b.zip`, `a/b.zip/c.pdf`. */
function pathsTo(key: string): string[] {
  const parts = key.split('/')
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}
