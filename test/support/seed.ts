import { afterEach } from 'vitest'

/**
 * The first seed of what a test file draws: that of the environment variable, else `otherwise`; `fresh` is another one in
 * each run. It is called at the top of a test file, and a test of that file that fails prints how it is replayed.
 */
export function seedFrom(variable: `${string}SEED`, otherwise: number | 'fresh'): number {
  const given = process.env[variable]
  const seed = given === undefined ? (otherwise === 'fresh' ? Math.floor(Math.random() * 2 ** 31) : otherwise) : +given
  if (!Number.isSafeInteger(seed)) throw new Error(`${variable} is no whole number: ${given}`)
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(`drawn again by ${variable}=${seed}: ${task.name}\n`)
  })
  return seed
}
