/** A spending cap, shared by all processes on the API key. Null only counts. */
export type Budget =
  | { readonly per: 'run'; readonly run: string; readonly limitCredits: number | null }
  | { readonly per: 'month'; readonly limitCredits: number | null }

/** Names the sum that a budget is held against: `run:<id>`, `month:2026-11` (UTC). */
function budgetScope(budget: Budget, now: Date): string {
  return budget.per === 'run' ? `run:${budget.run}` : `month:${now.toISOString().slice(0, 7)}`
}

/** A budget as enter.lua takes it; no `limit` where it only counts. */
export function budgetAsk(budget: Budget, now: Date): { readonly scope: string; readonly limit?: number } {
  const scope = budgetScope(budget, now)
  return budget.limitCredits === null ? { scope } : { scope, limit: budget.limitCredits }
}

/** Why nothing more is sent, for a person. */
export function budgetMessage(scope: string, limit: number, spent: number, next: number): string {
  const name = scope.startsWith('run:') ? 'this run' : `the month ${scope.slice('month:'.length)}`
  return (
    `the budget for ${name} is ${limit} credits: ${spent} are spent and the next document needs ${next}. ` +
    `Raise it to go on; every waiting document is kept.`
  )
}
