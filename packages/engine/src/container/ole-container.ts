import { CFB } from '@e965/xlsx'

const containers = new WeakMap<Buffer>()

/**
 * Returns the streams of an OLE file ([MS-CFB]), parsed once per document and cached. Throws if it is damaged. Do not
 * mutate.
 */
export function oleContainer(bytes: Buffer): ReturnType<typeof CFB.read> {
  const known = containers.get(bytes)
  if (known !== undefined) return known
  const container = CFB.read(bytes, { type: 'buffer' })
  containers.set(bytes, container)
  return container
}
