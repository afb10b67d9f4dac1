/** An invariant of the limiter is broken: a bug in the limiter or its caller. */
class InvariantBroken extends Error {
  override name = 'InvariantBroken' as const
}

/** Throws if `holds` is false, before the limiter sends anything to Redis. */
export function invariant(
  holds: boolean,
  law: string,
  facts: Readonly<Record<string, number | string | null>> = {},
): asserts holds {
  if (!holds) throw new InvariantBroken(`broken invariant: ${law}`, { cause: facts })
}
