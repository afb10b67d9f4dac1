/** A law of the limiter does not hold: a bug of the limiter or of its caller. */
class InvariantBroken extends Error {
  override name = 'InvariantBroken' as const
}

/** Throws where `holds` is false, before anything is sent to Redis. */
export function invariant(
  holds: boolean,
  law: string,
  facts: Readonly<Record<string, number | string | null>> = {},
): asserts holds {
  if (!holds) throw new InvariantBroken(`broken invariant: ${law}`, { cause: facts })
}
