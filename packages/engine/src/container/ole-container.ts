import { CFB } from '@e965/xlsx'

const containers = new WeakMap<Buffer>()

/** The streams of an OLE file ([MS-CFB]), read once a document. Throws for a damaged one. Not to be changed. */
export function oleContainer(bytes: Buffer): ReturnType<typeof CFB.read> {
  const known = containers.get(bytes)
  if (known !== undefined) return known
  const container = CFB.read(bytes, { type: 'buffer' })
  containers.set(bytes, container)
  return container
}
