import type { SourceKey } from '#src/document/ids.ts'
import { damageOf, rederive, type RederiveDeps } from './rederive.ts'

export interface Finding {
  readonly key: SourceKey
  /** One sentence each. */
  readonly damage: readonly string[]
  readonly repaired: boolean
}

/** Compares every file with its record, and every record with its receipt; with `repair` derives anew what differs. */
export async function* verifyStore(
  deps: RederiveDeps,
  { repair }: { readonly repair: boolean },
  signal: AbortSignal,
): AsyncGenerator<Finding | null> {
  for await (const record of deps.store.listRecords(signal)) {
    const damage = [...(await damageOf(record, deps.store))]
    const unkept = record.receipt !== null && (await deps.store.readReceipt(record.receipt)) === null
    if (unkept) damage.push('its receipt is missing or damaged: after a change it would be paid for again')
    if (damage.length === 0) yield null
    else {
      const repaired = repair && (await rederive(record, deps)).kind === 'written'
      yield { key: record.key, damage, repaired }
    }
  }
}
