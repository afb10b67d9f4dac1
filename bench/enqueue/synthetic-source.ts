import { sourceKey, version } from '#src/document/ids.ts'
import type { Source } from '#src/ports/source.ts'
import type { SourceItem } from '#src/document/source-item.ts'

export const PER_FOLDER = 1_000

/** 63 characters, as the names of an archive often are. */
export function keyOf(number: number): string {
  const department = String(Math.floor(number / PER_FOLDER)).padStart(4, '0')
  return `archive/department ${department}/correspondence and minutes ${String(number).padStart(8, '0')}.csv`
}

/** Documents that are nowhere: what the ledger and the queue take when listing costs nothing. */
export function syntheticSource(count: number): Source {
  return {
    url: 'file:///synthetic/',
    async *list(signal: AbortSignal): AsyncGenerator<SourceItem> {
      for (let number = 0; number < count; number++) {
        signal.throwIfAborted()
        const of = version(`100-17634${number}123456789-${number}`)
        yield { kind: 'document', key: sourceKey(keyOf(number)), version: of, bytes: 100 }
      }
    },
    open: () => Promise.reject(new Error('a synthetic document has no bytes')),
  }
}
