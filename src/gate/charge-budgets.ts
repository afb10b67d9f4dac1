import { type Budget, budgetAsk, budgetMessage } from './budget.ts'
import type { OwnPermits } from './own-permits.ts'
import type { GateKeys, RedisClient } from './scripts.ts'

export interface BudgetAccounts {
  readonly redis: RedisClient
  readonly keys: Pick<GateKeys, 'budget'>
  readonly budgets: readonly Budget[]
  readonly own: Pick<OwnPermits, 'charged'>
}

/**
 * Adds credits to what every budget has spent, for a request that takes no permit (the map of a website). Adds nothing and
 * returns the reason where a budget does not cover them. Adds first and compares then, so that of two processes at most
 * one gets the last credit.
 */
export async function chargeBudgets(accounts: BudgetAccounts, credits: number): Promise<string | null> {
  const { redis, keys, budgets } = accounts
  await correctBudgets(accounts, credits)
  for (const { scope, limit } of budgets.map((budget) => budgetAsk(budget, new Date()))) {
    if (limit === undefined) continue
    const fields = await redis.hmget(keys.budget, `${scope}:spent`, `${scope}:held`)
    const [spent = 0, held = 0] = fields.map(Number)
    if (spent + held <= limit) continue
    await correctBudgets(accounts, -credits)
    return budgetMessage(scope, limit, spent + held - credits, credits)
  }
  return null
}

/** Adds credits, or takes them off where the amount is negative, whatever the budgets cover. */
export async function correctBudgets({ redis, keys, budgets, own }: BudgetAccounts, credits: number): Promise<void> {
  for (const { scope } of budgets.map((budget) => budgetAsk(budget, new Date()))) {
    await redis.hincrbyfloat(keys.budget, `${scope}:spent`, credits)
    own.charged(scope, credits)
  }
}
