import { bundle } from './bundle.ts'

/** Before all tests: the program that they start as a process. `BUNDLED_PROGRAM` and `BUNDLED_ENGINE` tell where it is. */
export default async function setup(): Promise<() => Promise<void>> {
  const { main, engine, compileCache, [Symbol.asyncDispose]: remove } = await bundle()
  Object.assign(process.env, { BUNDLED_PROGRAM: main, BUNDLED_ENGINE: engine, NODE_COMPILE_CACHE: compileCache })
  return async () => remove()
}
