-- The state of the control law: one table of constant size, which Redis keeps packed. Times are milliseconds of one clock,
-- rates are requests a millisecond, sequence numbers count requests in the order of sending. src/gate/law-state.ts holds
-- the same list of fields as a type; fields that are nil at first are named there.

local LAW_VERSION = 9
-- RFC 6928's initial window.
local START_PLACES = 10
local SLOTS = 64
-- Half octaves of the number in flight: 1, 1.4, 2, 2.8, ... 2,896.
local LEVELS = 24

local function zeros(count)
  local list = {}
  for i = 1, count do
    list[i] = 0
  end
  return list
end

-- What was sent and answered, and whether the latest refusals are more than chance.
local function fresh_counts(s, now)
  s.seq = 0
  s.done = 0
  s.accepted = 0
  s.refusals = 0
  s.refusal_ms = 40 -- mean time until a refusal is heard
  s.sent_at = 0
  s.pending = 0 -- refused since the last answer: they free no place
  s.score = 0 -- CUSUM of corroborate
  s.noise = 0.02 -- share of requests that are refused without a limit
  s.refused_seq = -99
  s.burst_from = 0 -- sequence number of the first of the refusals that made up the score
  s.burst_refused = 0
  s.burst_sent = 0
  s.dismissed_at = -300
  s.ring = zeros(SLOTS) -- requests by time of sending
  s.ring_at = now
  s.ring_ms = 1
end

-- `open`, `paused` or `outage`, and what is known of the time that the service states.
local function fresh_phase(s, now)
  s.phase = 'open'
  s.opened_at = now
  s.opened_accepted = 0
  s.closed_at = -1
  s.probe_at = 0
  s.tries = 0
  s.pauses = 0
  s.fails = 0 -- failures of the service in a row
  s.kept = 0 -- times that came true
  s.broken = 0 -- times that proved wrong
  s.vague = false -- the refusals of this pause may be about places
  s.full_at = 0
  s.votes_rate = 0
  s.votes_places = 0
end

-- The learned rate is nil until a pause has measured one.
local function fresh_rate(s)
  s.due = 0 -- GCRA: theoretical time of the next request
  s.margin = 0.01
  s.confidence = 0 -- how often in a row the limit was bracketed
  s.short_cycles = 0
  s.trial = 0
  s.trial_at_close = 0
  s.trial_share = 0.5
  s.step = 0.08
  s.hold = 20
  s.since = 0
  s.level_n = 0
  s.level_refused = 0
  s.level_at = 0
  s.tested_seq = 0 -- when refusals were last found to be noise
  s.stated_new = false
  s.stated_exact = false
end

-- Requests in flight: slow start (`full` is false), a known limit (`places_known`), or probes for the knee.
local function fresh_places(s)
  s.places = START_PLACES
  s.places_last = START_PLACES
  s.places_at = -1
  s.carried = 0 -- most in flight that were accepted, forgotten slowly
  s.places_known = false
  s.places_measures = false
  s.places_step = 0
  s.hold_places = 0
  s.agree = 0
  s.full = false
  s.held = START_PLACES
  s.mode = 'hold'
  s.block_seq = 0
  s.block_n = 0
  s.block_sum = 0
  s.hold_mean = 0
  s.hold_n = 1
  s.patience = 1
  s.stride = 1.3
  s.upwards = true
end

-- Durations (logarithms) by number in flight, and the cohorts of slow start.
local function fresh_durations(s)
  s.level_count = zeros(LEVELS)
  s.level_sum = zeros(LEVELS)
  s.level_at_n = zeros(LEVELS)
  s.spread = 0.25 -- variance of the logarithm of a duration at one level
  s.spread_n = 0
  s.base = 0 -- mean logarithm of the first durations
  s.base_n = 0
  s.slowing = 0 -- CUSUM of is_slowing
  s.slow_n = 0
  s.slow_knee = 0
  s.cohort_from = 0
  s.cohort_size = START_PLACES
  s.cohort_done = 0
  s.cohort_lost = 0
  s.verified = START_PLACES -- in flight at the latest cohort that was not slower
  s.least_size = START_PLACES
  s.growth_waits = false
  s.doubted = false
end

local function fresh_law(now)
  local s = { version = LAW_VERSION, scale = 1 }
  fresh_counts(s, now)
  fresh_phase(s, now)
  fresh_rate(s)
  fresh_places(s)
  fresh_durations(s)
  return s
end

local function count_sent(s, at, n)
  local i = math.floor((at - s.ring_at) / s.ring_ms) + 1
  if i < 1 then
    return
  end
  while i > SLOTS do
    if s.window ~= nil and i > 2 * SLOTS and SLOTS * s.ring_ms > 2 * s.window then
      for j = 1, SLOTS do
        s.ring[j] = 0
      end
      s.ring_at = at
    elseif s.window ~= nil and SLOTS / 2 * s.ring_ms > 1.2 * s.window then
      for j = 1, SLOTS / 2 do
        s.ring[j] = s.ring[j + SLOTS / 2]
        s.ring[j + SLOTS / 2] = 0
      end
      s.ring_at = s.ring_at + SLOTS / 2 * s.ring_ms
    else
      for j = 1, SLOTS / 2 do
        s.ring[j] = s.ring[2 * j - 1] + s.ring[2 * j]
      end
      for j = SLOTS / 2 + 1, SLOTS do
        s.ring[j] = 0
      end
      s.ring_ms = 2 * s.ring_ms
    end
    i = math.floor((at - s.ring_at) / s.ring_ms) + 1
  end
  s.ring[i] = math.max(0, s.ring[i] + n)
end

local function sent_since(s, from)
  local first = (from - s.ring_at) / s.ring_ms
  local i = math.max(0, math.floor(first))
  local n = 0
  if i < SLOTS then
    n = s.ring[i + 1] * (1 - math.max(0, first - i))
  end
  for j = i + 2, SLOTS do
    n = n + s.ring[j]
  end
  return n
end
