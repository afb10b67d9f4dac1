/** Makes a `switch` over a union exhaustive. A copy: this folder imports nothing of the rest of the program. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`)
}
