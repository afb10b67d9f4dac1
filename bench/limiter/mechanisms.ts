/*
 * Each mechanism of the control law (packages/limiter/src/lua/law.lua), and the edit of its source that removes it: for `--without`, and
 * for the test that shows each of them in a scenario. docs/internals/limiter.md lists them by the same numbers.
 */

export interface Mechanism {
  readonly name: string
  /** What stands in the source once, and what stands there without the mechanism. */
  readonly edit: readonly [from: string, to: string]
}

export const MECHANISMS: readonly Mechanism[] = [
  { name: 'GCRA with catch-up', edit: ['return math.max(20, math.min(500, s.window / 40))', 'return 0'] },
  { name: 'CUSUM of refusals', edit: ['local SURE, CHANCE = 6.9', 'local SURE, CHANCE = 0'] },
  { name: 'learned noise', edit: ['s.noise = math.min(NOISE_MOST, s.noise + share)', 's.noise = s.noise'] },
  {
    name: 'probes by the cycle',
    edit: ['math.max(0.08, math.min(2, 40 / math.max(1, s.accepted)))', '0'],
  },
  { name: 'trust in Retry-After', edit: ['at = s.trust > 0 and told_at or math.min(told_at, at)', 'at = told_at'] },
  {
    name: 'cycle bracketed by the last refusal',
    edit: ['local high = math.max(low, math.max(1, n) / math.max(1, s.bad_at - s.opened_at))', 'local high = 1 / 0'],
  },
  { name: 'a fall by half at most', edit: ['local MARGIN, FALL = 0.99, 0.5', 'local MARGIN, FALL = 0.99, 0'] },
  { name: 'trials', edit: ['if s.level_n >= (known and HOLD_KNOWN or HOLD_UNKNOWN) then', 'if false then'] },
  { name: 'trebled steps', edit: ['s.step = math.min(1, 3 * s.step)', 's.step = s.step'] },
  {
    name: 'sparse refusals',
    edit: ['if s.rate ~= nil and bad >= 3 and n >= 3', 'if false and n >= 3'],
  },
  { name: "Little's law at the first pause", edit: ['if brief and s.fastest ~= nil then', 'if false then'] },
  {
    name: 'experiment behind a vague text',
    edit: ['s.vague = feedback.limit == nil and not reached', 's.vague = false'],
  },
  {
    name: 'number in flight by refusals',
    edit: ['if not sure and not (trying and surely) then', 'if true then'],
  },
  {
    name: 'end of slow start',
    edit: ['if over > KNEE_SHIFT + KNEE_ERRORS', 'if false and over > KNEE_SHIFT + KNEE_ERRORS'],
  },
  { name: 'comparison of blocks', edit: ['begin_block(s, next_places(s), now)', 'begin_block(s, s.held, now)'] },
  { name: 'breaker', edit: ['if s.fails >= trip or feedback.retryAfterMs ~= nil then', 'if false then'] },
  {
    name: 'stated limits',
    edit: [
      "local reached = stated ~= nil and stated.reached and feedback.limit ~= 'concurrency'",
      'local reached = false',
    ],
  },
  { name: 'dismissal of chance', edit: ['if sent >= 6 and s.burst_n < CHANCE * sent then', 'if false then'] },
]

/** The source of the law without one mechanism. */
export function without(name: string, source: string): string {
  const found = MECHANISMS.find((mechanism) => mechanism.name === name)
  if (found === undefined)
    throw new Error(`no mechanism is called "${name}": ${MECHANISMS.map((one) => one.name).join(', ')}`)
  const [from, to] = found.edit
  if (source.split(from).length !== 2) throw new Error(`"${name}": its source is not there once: ${from}`)
  return source.replace(from, () => to)
}
