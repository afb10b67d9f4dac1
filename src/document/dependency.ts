/** Dependencies that a process cannot work without. */
export type Dependency = 'engine' | 'redis' | 'service' | 'source' | 'store'

/**
 * A dependency failed before any work could wait for it. The message names the remedy; a stack trace would not help.
 */
export class DependencyUnusable extends Error {
  override name = 'DependencyUnusable' as const
}
