import type { ReceiptId, SourceKey } from '#src/document/ids.ts'
import { receiptsOf } from '#src/document/record.ts'
import type { Stray } from '#src/document/stray.ts'
import type { OutputStore } from '#src/ports.ts'
import { KeySet } from './key-set.ts'
import { damageOf, rederive, type RederiveDeps } from './rederive.ts'

export type Finding =
  | { readonly kind: 'whole' }
  | {
      readonly kind: 'damaged'
      readonly key: SourceKey
      /** One sentence each. */
      readonly damage: readonly string[]
      readonly repaired: boolean
    }
  /** A receipt that no record refers to, cut off or altered: it counts as none. */
  | { readonly kind: 'half_receipt'; readonly id: ReceiptId; readonly removed: boolean }
  | { readonly kind: 'stray'; readonly stray: Stray; readonly removed: boolean }

export interface VerifyOptions {
  /** Derives anew what differs, and settles what processes left in the middle of a write. Removes nothing of value. */
  readonly repair: boolean
  /** Removes what is in the store's own folders and explained by nothing: it may be a user's own file. */
  readonly removeStrays: boolean
}

/** Compares every file with its record, every record with its receipt, and all that is there with both. */
export async function* verifyStore(
  deps: RederiveDeps,
  { repair, removeStrays }: VerifyOptions,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { store } = deps
  if (repair) await store.recover()
  const used = new KeySet()
  for await (const record of store.listRecords(signal)) {
    const { key } = record
    const damage = [...(await damageOf(record, store))]
    for (const receipt of receiptsOf(record)) {
      if (receipt === null) continue
      used.add(receipt)
      if ((await store.readReceipt(receipt)) !== null) continue
      damage.push('its receipt is missing or damaged: after a change it would be paid for again')
    }
    if (damage.length === 0) yield { kind: 'whole' }
    else yield { kind: 'damaged', key, damage, repaired: repair && (await rederive(record, deps)).kind === 'written' }
  }
  yield* halfReceipts(store, used, repair, signal)
  for await (const stray of store.listStrays(signal)) {
    const removed = removeStrays && stray.kind === 'foreign'
    if (removed) await store.removeStray(stray)
    yield { kind: 'stray', stray, removed }
  }
}

async function* halfReceipts(
  store: OutputStore,
  used: KeySet,
  repair: boolean,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  for await (const { id } of store.listReceipts(signal)) {
    if (used.has(id) || (await store.readReceipt(id)) !== null) continue
    if (repair) await store.removeReceipt(id)
    yield { kind: 'half_receipt', id, removed: repair }
  }
}
