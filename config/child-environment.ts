import { ALLOCATOR } from '#src/kit/node-process.ts'
import { environment, type Environment } from './environment.ts'

/** Variables for programs, libraries, temporary files, certificates, language and time zone. */
const NEEDED = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TMP|TEMP|LD_\w+|DYLD_\w+)$/

/** Variables that configure Node and native libraries. */
const RUNTIME = /^(?:NODE_(?!AUTH)\w+|UV_\w+|OMP_\w+|RAYON_\w+|MALLOC_\w+|TESSDATA_PREFIX|SSL_CERT_(?:FILE|DIR))$/

/** A child that fetches from the web uses the same proxy as this process, without the login. */
const PROXIES = /^(?:https?_proxy|no_proxy|all_proxy)$/i

/** npm uses the user's own registry if one is configured. */
const REGISTRY = /^npm_config_registry$/i

const isAddress = (name: string): boolean => PROXIES.test(name) || REGISTRY.test(name)

/**
 * Builds the environment of a child process: everything it needs to run, and none of this process's secrets.
 * `ALLOCATOR` configures malloc unless the user did. `web`: the child sends requests of its own.
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
