import { ALLOCATOR } from '#src/kit/node-process.ts'
import { environment, type Environment } from './environment.ts'

/** Where programs, libraries, temporary files and certificates are, and which language and time zone to use. */
const NEEDED = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TMP|TEMP|LD_\w+|DYLD_\w+)$/

/** What Node and native libraries are set up with. */
const RUNTIME = /^(?:NODE_(?!AUTH)\w+|UV_\w+|OMP_\w+|RAYON_\w+|MALLOC_\w+|TESSDATA_PREFIX|SSL_CERT_(?:FILE|DIR))$/

/** A program that fetches from the web goes the same way as this one, without the login. */
const PROXIES = /^(?:https?_proxy|no_proxy|all_proxy)$/i

/** npm fetches by the user's own registry, where one is set up. */
const REGISTRY = /^npm_config_registry$/i

const isAddress = (name: string): boolean => PROXIES.test(name) || REGISTRY.test(name)

/**
 * The environment for a program that we start: what it needs to run, and none of the secrets that this process was
 * given; malloc is set as `ALLOCATOR` says unless it was set. `web`: the program makes requests of its own.
 */
export function childEnvironment(
  { web }: { readonly web: boolean },
  env: Environment = environment(),
): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name, value]) => value !== undefined && (NEEDED.test(name) || RUNTIME.test(name) || (web && isAddress(name))),
  )
  const given = Object.fromEntries(
    kept.map(([name, value = '']) => [name, isAddress(name) ? value.replace(/^([a-z]+:\/\/)?[^/]*@/i, '$1') : value]),
  )
  return { ...ALLOCATOR, ...given }
}
