/** Another worker holds the document by now, so this worker must not write to it any more. */
export class ClaimLost extends Error {
  override name = 'ClaimLost' as const
}

/**
 * Fencing token of a claim: orders the claims of a document, and therefore its commits. A later claim has a higher
 * number, or a higher epoch after Redis lost its counter.
 */
export interface ClaimNumber {
  /** Epoch in the manifest of the store. */
  readonly epoch: number
  /** Counts all claims of the source in this epoch. */
  readonly number: number
}

interface Claimed {
  /** Absent in records of releases up to 0.2: they precede every record with a claim. */
  readonly claim?: ClaimNumber
}

/** True if `one` was committed under an earlier claim than `other`. */
export function isOfEarlierClaim({ claim: one }: Claimed, { claim: other }: Claimed): boolean {
  if (one === undefined || other === undefined) return other !== undefined
  return one.epoch === other.epoch ? one.number < other.number : one.epoch < other.epoch
}

/** Throws `ClaimLost` if `present` was committed under a later claim than `record`. */
export function refuseEarlierClaim(record: Claimed, present: Claimed): void {
  if (isOfEarlierClaim(record, present)) throw new ClaimLost('another worker committed this document first')
}
