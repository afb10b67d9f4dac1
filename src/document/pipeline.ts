/** What a pipeline (source → rules → store) may be called: it is part of the names of its keys in Redis. */
const PIPELINE_NAME = /^[\w.-]{1,64}$/

/**
 * Prefix of every key that a pipeline has in Redis. The braces are a hash tag: on Redis Cluster all keys of a pipeline
 * lie in one slot, which is what lets one script change several of them at once.
 */
export function redisPrefix(pipeline: string): string {
  if (!PIPELINE_NAME.test(pipeline)) {
    throw new Error(
      `a pipeline's name is 1 to 64 letters, digits, "_", "." and "-": ${JSON.stringify(pipeline)} is not`,
    )
  }
  return `{sluice:${pipeline}}`
}
