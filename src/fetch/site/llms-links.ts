import type { SiteClient } from './site-client.ts'
import type { SiteScope } from './site-scope.ts'

/** Addresses that the site's `llms.txt` names: the targets of its Markdown links. None where there is no such file. */
export async function llmsLinks(client: SiteClient, scope: SiteScope, signal: AbortSignal): Promise<readonly string[]> {
  const at = [...new Set([`${scope.prefix}llms.txt`, '/llms.txt'])]
  const found: string[] = []
  for (const path of at) {
    const url = new URL(path, scope.start)
    const answer = await client.text(url, signal)
    if (!('text' in answer)) continue
    for (const [, address = ''] of answer.text.matchAll(/\]\(\s*<?([^)\s>]+)/g)) {
      const absolute = URL.parse(address, url.href)
      if (absolute !== null) found.push(absolute.href)
    }
  }
  return found
}
