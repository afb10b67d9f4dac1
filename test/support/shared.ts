import { afterAll } from 'vitest'

/** Opens a resource that all tests of a file share, and disposes of it after the last one: at the top of a test file. */
export async function shared<T extends AsyncDisposable>(opening: Promise<T>): Promise<T> {
  const resource = await opening
  afterAll(() => resource[Symbol.asyncDispose]())
  return resource
}
