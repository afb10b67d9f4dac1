import { bundle } from './bundle.ts'
import { useForAll } from './bundled.ts'

/** Before all tests: the program that they start as a process. After them it is removed. */
export default async function setup(): Promise<() => Promise<void>> {
  const bundled = await bundle({ children: true })
  useForAll(bundled)
  return async () => bundled[Symbol.asyncDispose]()
}
