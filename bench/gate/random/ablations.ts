/*
 * Each mechanism of the control law as the edit of its Lua source that removes it, for `bench -- simulator --without`. An edit that
 * no longer fits the source throws: the list follows the law.
 */

/** What stands in the source once, and what stands there without the mechanism. */
type Edit = readonly [from: string, to: string]

export const ABLATIONS: Readonly<Record<string, Edit>> = {
  // What a refusal says.
  'corroboration of refusals': ['local SURE = 6.9', 'local SURE = 0'],
  'learned noise': ['math.min(0.3, math.max(0.002, s.noise))', '0.02'],
  'dismissal of chance': ['return s.burst_sent >= 6 and', 'return false and'],
  'experiment behind a vague text': ['s.vague = vague and in_flight > 0', 's.vague = false and in_flight > 0'],
  'votes for places': ['vague and s.votes_places >= 2 and', 'vague and false and'],
  'refusal at fewer than were carried': ['return in_flight + 1 < 0.85 * s.carried', 'return false'],
  'correction of what was ahead of a probe': [
    'if s.vague then\n      -- It was in flight',
    'if false then\n      -- It was in flight',
  ],
  'refused requests free no place': ['in_flight > 0 and pace(s) == nil and s.pending > 0', 'false and s.pending > 0'],
  // Pauses and Retry-After.
  'trust in Retry-After': ['if s.told ~= nil and s.broken <= s.kept then', 'if false then'],
  'early probes of Retry-After': ['if s.told > 500 then', 'if false then'],
  'first early probe within a minute': ['while s.told / share > 60000 * s.scale do', 'while false do'],
  'probe a second before a whole Retry-After': ['elseif s.told_whole and s.told <= 10000 then', 'elseif false then'],
  'inconsistent Retry-After': ['if left > 0 and math.abs(', 'if false and math.abs('],
  'Retry-After that came too soon': ['if s.late >= 2 then', 'if false then'],
  'probe at the predicted end of a window': [
    'if s.window ~= nil and s.short_cycles == 0 and s.tries <= 12 then\n    local turn',
    'if false then\n    local turn',
  ],
  'denser probes of long cycles': ['math.max(1.08, math.min(1.4, 1 + 200 / n))', '1.4'],
  'shortest pause by the window': ['s.pause = math.max(s.pause, 0.03 * s.window)', 's.pause = s.pause'],
  'shortest pause by the cycle': ['s.pause = math.max(s.pause, 0.015 * (now - s.opened_at))', 's.pause = s.pause'],
  'probes further apart after twelve': ['s.tries > 12 and elapsed / 6 or 0', '0'],
  // The rate.
  'trials of a higher pace': ['if s.since >= s.hold and most > 0.005 then', 'if false then'],
  'trebled steps of a trial': ['s.step = math.min(1, s.step * 3)', 's.step = s.step'],
  'a trial is kept where its refusals are within chance': ['if trial_odds(s, now) > TRIAL_KEPT then', 'if false then'],
  'a request of a trial counts once it was heard': [
    'local unheard = math.max(60, 3 * s.refusal_ms) / math.max(now - s.level_at, 1)',
    'local unheard = 0',
  ],
  'a failed trial brackets only what was held': ['local proven = s.hold >= PROVEN', 'local proven = true'],
  'noise is tested again': ['local doubtful = s.seq - s.tested_seq > DOUBT_AFTER and', 'local doubtful = false and'],
  'no burst after a pause': ['s.due = math.max(to + 1 / s.rate, now - 2 / s.rate)', 's.due = to + 1 / s.rate'],
  'a window is given up by half at a time': [
    's.window = math.max(cycle.ms, 10 / s.rate, 0.5 * s.window)',
    's.window = math.max(cycle.ms, 10 / s.rate)',
  ],
  'a pace must be sent to count': ['if s.level_n < 0.5 * (now - s.level_at) * s.rate then', 'if false then'],
  'test of sparse refusals': ['if s.trial > 0 or s.test_share ~= nil or not', 'if true or not'],
  'small first cut of that test': [
    'math.max(0.03, 0.25 * s.test_share)',
    'math.min(0.3, math.max(0.03, 1.1 * s.test_share))',
  ],
  'densest stretch': ['while w <= longest do', 'while false do'],
  'no first measurement of fewer than three': ['(cycle.n < 3 and not s.ignored)', 'false'],
  'a fall by half at most': [
    'local least = s.trial_at_close > 0 and 0.85 or 0.5',
    'local least = s.trial_at_close > 0 and 0.85 or 0',
  ],
  'a fall by 0.15 at most in a trial': ['local least = s.trial_at_close > 0 and 0.85 or 0.5', 'local least = 0.5'],
  'a fall by 0.4 at most below five requests': ['if cycle.n < 5 then\n', 'if false then\n'],
  'cycle known by Retry-After': ['told_true and 1.02 * low or', 'false and low or'],
  'rate over the last window': ['if w ~= nil and (cycle.ms > 1.3 * w or cycle.ms < 0.5 * w) then', 'if false then'],
  'short cycles are of a bucket': ['if s.short_cycles >= 4 then', 'if false then'],
  'a window that shrinks by a fifth at most': [
    'math.max(cycle.window or cycle.ms, 0.8 * (s.window or 0))',
    'cycle.window or cycle.ms',
  ],
  'margin below the rate': ['math.min(0.03, math.max(0.01, 0.1 / cycle.n))', '0'],
  // Requests in flight.
  'growth by latency': [
    'local more = GROWTH * math.max(0, math.min(1, (most - times) / (most - 1)))',
    'local more = GROWTH',
  ],
  'one answer vouches for twice as many': ['(s.spread > STEADY or s.places < GROWTH * (permit.ahead + 1) + 2)', 'true'],
  'slow start ends by cohorts': ['local slower = least ~= nil and', 'local slower = false and'],
  'growth waits for a late cohort': ['s.growth_waits = true\n    s.restrained', 's.restrained'],
  'fewer in flight while a cohort is late': ['s.restrained = math.max(s.verified,', 's.restrained = math.max(9999,'],
  'cohorts that lost too many': ['if s.cohort_lost > 0.3 * s.cohort_size then', 'if false then'],
  'CUSUM of durations': ['return s.slowing > SHIFT_SURE', 'return false'],
  'probes for the knee': ['  else\n    probe_places(s, permit, duration)', '  else\n    s.block_n = 0'],
  'fewer first after a collapse': ['(s.slope or 0) < COLLAPSE', 'true'],
  'wider steps of the probes': ['s.stride = math.min(WIDEST_STEP, s.stride * STEP)', 's.stride = s.stride'],
  'places fall to 0.7 at most': ['math.max(n, math.floor(0.7 * before)) or n', 'n or n'],
  'return to the last number of places': ['if s.places_known and s.places > s.places_last then', 'if false then'],
  'doubled steps of known places': ['s.places_step > 0 and s.places_step * 2 or', 'false or'],
  'longer hold where places agree': ['local hold = a == 0 and', 'local hold = true and'],
  'time in the queue of the service': ['if queued > 0.15 * s.work_ms and queued > 20 then', 'if false then'],
  'time-outs are overload': [
    's.done = s.done + 1\n  if permit.at > s.places_at then',
    's.done = s.done + 1\n  if false then',
  ],
}

/** The source of the law without one mechanism. */
export function without(name: string, source: string): string {
  const edit = ABLATIONS[name]
  if (edit === undefined) throw new Error(`no mechanism is called "${name}": ${Object.keys(ABLATIONS).join(', ')}`)
  const [from, to] = edit
  if (source.split(from).length !== 2) throw new Error(`"${name}": its source is not there once: ${from}`)
  return source.replace(from, () => to)
}
