import { bundle } from './bundle.ts'

/** Before all tests: the program that they start as a process; the environment tells them where it is. */
export default async function setup(): Promise<() => Promise<void>> {
  const { main, engine, compileCache, [Symbol.asyncDispose]: remove } = await bundle({ children: true })
  Object.assign(process.env, { BUNDLED_PROGRAM: main, BUNDLED_ENGINE: engine, BUNDLED_COMPILED: compileCache })
  return async () => remove()
}
