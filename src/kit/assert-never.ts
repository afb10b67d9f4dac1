/** Makes a `switch` over a union exhaustive: the compiler refuses a forgotten case. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`)
}
