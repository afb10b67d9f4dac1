/** What a process cannot work without. */
export type Dependency = 'engine' | 'redis' | 'service' | 'source' | 'store'

/** A dependency failed before there was any work that could wait for it. The message says what to do; no stack helps. */
export class DependencyUnusable extends Error {
  override name = 'DependencyUnusable' as const
}
