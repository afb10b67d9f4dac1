/** An invariant of the program is broken: a bug, never a property of a document, a service or a dependency. */
export class InvariantBroken extends Error {
  override name = 'InvariantBroken' as const
}

/**
 * Throws if `holds` is false; `facts` are our own numbers and ids, never text of a document. The queue delivers the
 * current document again, as after any unexpected error, and the worker then finds it done or with its receipt. After
 * its last attempt it ends failed, with the invariant in its dead letter. Not for loops over bytes or pages.
 */
export function invariant(
  holds: boolean,
  law: string,
  facts: Readonly<Record<string, number | string | null>> = {},
): asserts holds {
  if (!holds) throw new InvariantBroken(`broken invariant: ${law}`, { cause: facts })
}
