/** The program in a few files. */
export interface Bundle extends AsyncDisposable {
  readonly main: string
  readonly engine: string
  /** Where Node keeps it compiled, once for all processes that are started from it. */
  readonly compileCache: string
}

/** Tells the processes of the tests of a bundle that all of them may use. */
export function useForAll({ main, engine, compileCache }: Bundle): void {
  Object.assign(process.env, { BUNDLED_PROGRAM: main, BUNDLED_ENGINE: engine, BUNDLED_COMPILED: compileCache })
}

/** Null outside of the tests. Disposing of it leaves it there for the others. */
export function bundledForAll(): Bundle | null {
  const { BUNDLED_PROGRAM: main, BUNDLED_ENGINE: engine, BUNDLED_COMPILED: compileCache } = process.env
  if (main === undefined || engine === undefined || compileCache === undefined) return null
  return { main, engine, compileCache, [Symbol.asyncDispose]: async () => undefined }
}
