/** Makes a `switch` over a union exhaustive. The compiler rejects a missing case. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`)
}
