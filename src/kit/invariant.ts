/** A law of the program does not hold: a bug, never a property of a document, a service or a dependency. */
export class InvariantBroken extends Error {
  override name = 'InvariantBroken' as const
}

/**
 * Throws where `holds` is false; `facts` are numbers and ids of ours, never text of a document. The document in work comes
 * again, as after any unexpected error, and is found done or with its receipt; after its last attempt it ends failed, with
 * the law in its dead letter. Not for loops over bytes or pages.
 */
export function invariant(
  holds: boolean,
  law: string,
  facts: Readonly<Record<string, number | string | null>> = {},
): asserts holds {
  if (!holds) throw new InvariantBroken(`broken invariant: ${law}`, { cause: facts })
}
