local LAW_VERSION = 5
local START_PLACES = 10
local SURE = 6.9
local SLOTS = 64

local function fresh_law(now)
  local ring = {}
  for i = 1, SLOTS do
    ring[i] = 0
  end
  local level_count, level_sum, level_at_n = {}, {}, {}
  for i = 1, 24 do
    level_count[i] = 0
    level_sum[i] = 0
    level_at_n[i] = 0
  end
  return {
    version = LAW_VERSION,
    scale = 1,
    seq = 0,
    done = 0,
    accepted = 0,
    refusals = 0,
    refusal_ms = 40,
    sent_at = 0,
    score = 0,
    noise = 0.02,
    refused_seq = -99,
    burst_from = 0,
    burst_refused = 0,
    burst_sent = 0,
    dismissed_at = -300,
    phase = 'open',
    opened_at = now,
    opened_accepted = 0,
    closed_at = -1,
    probe_at = 0,
    tries = 0,
    kept = 0,
    broken = 0,
    episode = 3,
    episode_refusals = 0,
    short_cycles = 0,
    due = 0,
    trial = 0,
    trial_at_close = 0,
    step = 0.05,
    hold = 20,
    since = 0,
    level_n = 0,
    level_refused = 0,
    level_at = 0,
    pauses = 0,
    falls = 0,
    trial_share = 0.5,
    margin = 0.01,
    confidence = 0,
    places = START_PLACES,
    places_last = START_PLACES,
    places_at = -1,
    votes_rate = 0,
    votes_places = 0,
    vague = false,
    full_at = 0,
    places_measures = false,
    places_known = false,
    full = false,
    pending = 0,
    agree = 0,
    stated_new = false,
    stated_exact = false,
    hold_places = 0,
    places_step = 0,
    level_count = level_count,
    level_sum = level_sum,
    level_at_n = level_at_n,
    base = 0,
    base_n = 0,
    slowing = 0,
    slow_n = 0,
    slow_knee = 0,
    cohort_from = 0,
    cohort_size = START_PLACES,
    cohort_done = 0,
    verified = START_PLACES,
    least_size = START_PLACES,
    growth_waits = false,
    doubted = false,
    stride = 1.3,
    spread = 0.25,
    spread_n = 0,
    held = START_PLACES,
    mode = 'hold',
    block_seq = 0,
    block_n = 0,
    block_sum = 0,
    hold_mean = 0,
    hold_n = 1,
    patience = 1,
    upwards = true,
    fails = 0,
    ring = ring,
    ring_at = now,
    ring_ms = 1,
  }
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
