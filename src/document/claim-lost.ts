/** Another worker holds the document by now: this one must write nothing more of it. */
export class ClaimLost extends Error {
  override name = 'ClaimLost' as const
}

/**
 * Order of the claims of a document, and so of its commits: a later claim has a higher number, or a higher epoch where Redis
 * began to count anew.
 */
export interface ClaimNumber {
  /** As in the manifest of the store. */
  readonly epoch: number
  /** Of all claims of the source, in this epoch. */
  readonly number: number
}

interface Claimed {
  /** Missing in records of releases up to 0.2: they are earlier than any that has one. */
  readonly claim?: ClaimNumber
}

/** Whether `one` was committed under an earlier claim than `other`. */
export function isOfEarlierClaim({ claim: one }: Claimed, { claim: other }: Claimed): boolean {
  if (one === undefined || other === undefined) return other !== undefined
  return one.epoch === other.epoch ? one.number < other.number : one.epoch < other.epoch
}

/** Throws `ClaimLost` where `present` was committed under a later claim than `record`. */
export function refuseEarlierClaim(record: Claimed, present: Claimed): void {
  if (isOfEarlierClaim(record, present)) throw new ClaimLost('another worker committed this document meanwhile')
}
