import { invariant } from '#src/document/invariant.ts'
import type { Cost } from '#src/document/record.ts'

/** What several answers cost together; as sure as the least sure of them. */
export function sumOfCosts(costs: readonly Cost[]): Cost {
  const has = (basis: Cost['basis']): boolean => costs.some((cost) => cost.basis === basis)
  const credits = costs.reduce((sum, cost) => sum + cost.credits, 0)
  invariant(Number.isFinite(credits) && credits >= 0, 'costs are numbers, and none is negative', { credits })
  return { credits, basis: has('estimated') ? 'estimated' : has('reported') ? 'reported' : 'saved' }
}
