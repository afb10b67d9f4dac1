import { realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Settings } from '#config/settings.ts'
import { assertNever } from '#src/document/assert-never.ts'
import { shortName } from '#src/ingest/scan/claim-store.ts'
import type { SourceCandidate } from '#src/ingest/scan/resolve-source.ts'
import { prefixOf } from '#src/fetch/site/site-scope.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import { commandLine } from '#config/invocation.ts'
import type { Location } from './location.ts'

export type IdentitySettings = Pick<Settings, 'sourceName' | 'prefix' | 'out' | 's3Endpoint'>

/**
 * What a source is, whichever machine reads it. A folder is its real path and no host: workers on several machines
 * share a mount.
 */
export async function identifySource(
  typed: string,
  at: Location,
  url: string,
  settings: IdentitySettings,
): Promise<SourceCandidate> {
  const rest = {
    name: settings.sourceName ?? null,
    prefix: settings.prefix === undefined ? null : checkedPrefix(settings.prefix),
    typed: { run: commandLine('run', typed), out: settings.out },
  }
  switch (at.kind) {
    case 'folder': {
      // One file is a document of its folder.
      const folder = fileURLToPath(url)
      const real = (await realpath(folder).catch(() => folder)).replace(/(?<=.)\/+$/, '')
      const addresses = [...new Set([url, pathToFileURL(`${real}/`).href])]
      return { ...rest, identity: `folder:${real}`, addresses, defaultName: basename(real) || 'root' }
    }
    case 's3': {
      const identity = `s3:${settings.s3Endpoint ?? 'aws'}:${url}`
      return { ...rest, identity, addresses: [url], defaultName: shortName(url) }
    }
    case 'urls': {
      const name = at.path === '-' ? 'stdin' : basename(at.path)
      return { ...rest, identity: `urls:${name}`, addresses: [url], defaultName: name }
    }
    case 'site': {
      const { host, origin } = at.url
      const prefix = prefixOf(at.url)
      const defaultName = `${host}${prefix}`.replace(/\/$/, '')
      return { ...rest, identity: `site:${origin}${prefix}`, addresses: [url], defaultName }
    }
    default:
      return assertNever(at)
  }
}

/** One or more segments as a key has them. */
const PREFIX = /^[^/\\\p{Cc}]+(?:\/[^/\\\p{Cc}]+)*$/u
const PREFIX_MAX = 200

function checkedPrefix(given: string): string {
  const prefix = given.replaceAll(/^\/+|\/+$/g, '')
  const dots = prefix.split('/').some((segment) => segment === '.' || segment === '..')
  if (dots || prefix.length > PREFIX_MAX || !PREFIX.test(prefix)) {
    throw new StoreRefused(
      `--prefix is the name of a folder, or several with "/" between them: ${JSON.stringify(given)} is not`,
    )
  }
  return prefix
}
