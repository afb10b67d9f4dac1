import type { Settings } from '#config/settings.ts'
import { creditsOf } from '#workers/account.ts'
import { count } from './format.ts'

/** After a halt for credits: what the service says that is left. Null where it does not say. */
export async function creditsLeftLine(settings: Settings): Promise<string | null> {
  const credits = await creditsOf(settings, new AbortController().signal)
  if (credits === null || credits.remaining === null) return null
  const of = credits.plan === null ? '' : ` of ${count(credits.plan)}`
  return `the service says that ${count(credits.remaining)}${of} credits are left`
}
