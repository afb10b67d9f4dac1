import type { Settings } from '#config/settings.ts'
import { accountOf } from '#workers/account.ts'
import { count } from './format.ts'

/** After a halt for credits: what the service says that is left. Null where it does not say. */
export async function creditsLeftLine(settings: Settings): Promise<string | null> {
  const account = await accountOf(settings, new AbortController().signal)
  if (account === null || account.remainingCredits === null) return null
  const of = account.planCredits === null ? '' : ` of ${count(account.planCredits)}`
  return `the service says that ${count(account.remainingCredits)}${of} credits are left`
}
