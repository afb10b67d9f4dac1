/** Makes a `switch` over a union exhaustive. A copy, because this package imports nothing of the application. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`)
}
