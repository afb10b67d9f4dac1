/** Pattern of a pipeline's name (source → rules → store), which is part of its keys in Redis. */
const PIPELINE_NAME = /^[\w.-]{1,64}$/

/**
 * Prefix of every Redis key of a pipeline. The braces are a hash tag: Redis Cluster keeps all keys of a pipeline in one
 * slot, so one script can change several of them atomically.
 */
export function redisPrefix(pipeline: string): string {
  if (!PIPELINE_NAME.test(pipeline)) {
    throw new Error(
      `the pipeline name ${JSON.stringify(pipeline)} is invalid: use 1 to 64 letters, digits, "_", "." and "-"`,
    )
  }
  return `{sluice:${pipeline}}`
}
