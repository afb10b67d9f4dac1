-- How many may be in flight: slow start by cohorts, then blocks of requests with more and with fewer places.

-- Places that slow start adds for each completed request at the least duration: three times as many each round trip.
local GROWTH = 2

-- Where durations vary less than this, answers come in bursts: one answer then vouches for GROWTH times what was in flight at
-- its sending, so that a burst does not raise the limit before the first slow answer is back.
local STEADY = 0.02

-- From this slope on the service collapses beyond its knee: fewer in flight are tried first.
local COLLAPSE = 1.25

-- First step of the probes that follow slow start, as a factor; each success widens it by as much, up to 2.5.
local STEP = 1.3
local WIDEST_STEP = 2.5

-- A cohort is slower than the fastest one where its median exceeds that by this (a logarithm), and by so many standard
-- errors: growth waits at the lower number of them, and ends at the higher.
local SLOWER = 0.25
local WAITS_AT = 1
local ENDS_AT = 2.5

local function begin_block(s, mode)
  s.mode = mode
  s.block_seq = s.seq
  s.block_n = 0
  s.block_sum = 0
end

-- Slow start measures by cohorts of requests that follow each other. The time from the sending of its middle request
-- until half of a cohort has completed estimates the median duration. A mean over what has completed would not: it
-- misses the slow ones that are still in flight, and so a service that is about to collapse.
local function begin_cohort(s)
  s.cohort_from = s.seq
  -- Larger where durations vary; a small one shows sooner.
  s.cohort_size = math.max(8, math.min(math.floor(s.places), math.ceil(8 + 60 * s.spread)))
  s.cohort_done = 0
  s.cohort_lost = 0
  s.cohort_mid_at = nil
  s.cohort_level = nil
  s.growth_waits = false
  s.restrained = nil
end

local function is_in_cohort(s, permit)
  return permit.seq > s.cohort_from and permit.seq <= s.cohort_from + s.cohort_size
end

-- A request that was refused says nothing of durations. A cohort that lost too many is no measurement: waiting for the
-- rest of it would end growth for good.
local function leave_cohort(s, permit)
  if s.full or not is_in_cohort(s, permit) then
    return
  end
  s.cohort_lost = s.cohort_lost + 1
  if s.cohort_lost > 0.3 * s.cohort_size then
    begin_cohort(s)
  end
end

local function set_places(s, places, upwards)
  s.places = math.max(1, math.floor(places + 0.5))
  s.held = s.places
  s.full = true
  s.restrained = nil
  s.patience = 1
  s.stride = STEP
  s.upwards = upwards
  begin_block(s, 'hold')
end

-- How many times the least median a cohort may take before it counts as slower.
local function tolerance(s, errors)
  return math.exp(SLOWER + errors * math.sqrt(s.spread * (1 / s.cohort_size + 1 / s.least_size)))
end

local function judge_cohort(s, ms)
  local least = s.least_ms
  local slower = least ~= nil and ms >= tolerance(s, ENDS_AT) * least
  if least == nil or ms < least then
    s.least_ms = ms
    s.least_size = s.cohort_size
  end
  if not slower then
    s.verified = math.max(s.verified, s.cohort_level)
    s.doubted = false
    begin_cohort(s)
    return
  end
  local knee = fit_knee(s)
  if knee == nil and not s.doubted then
    -- Chance makes one cohort of a few requests slow: the next one decides, at the same number in flight.
    begin_cohort(s)
    s.doubted = true
    s.growth_waits = true
    return
  end
  knee = knee or s.cohort_level * (least / ms) ^ 0.6
  set_places(s, math.max(s.verified, math.min(knee, s.cohort_level)), (s.slope or 0) < COLLAPSE)
end

local function watch_cohort(s, permit, now)
  if s.full then
    return
  end
  if is_slowing(s, permit.ahead + 1, math.max(now - permit.at, 1)) then
    local knee = math.exp(s.slow_knee / s.slow_n)
    set_places(s, math.max(0.6 * s.verified, knee), true)
    return
  end
  if is_in_cohort(s, permit) then
    s.cohort_done = s.cohort_done + 1
  end
  if s.cohort_mid_at == nil then
    return
  end
  local ms = now - s.cohort_mid_at
  if s.cohort_done >= 0.5 * (s.cohort_size - s.cohort_lost) then
    judge_cohort(s, ms)
  elseif s.least_ms ~= nil and ms > tolerance(s, WAITS_AT) * s.least_ms then
    s.growth_waits = true
    s.restrained = math.max(s.verified, s.cohort_level * (tolerance(s, WAITS_AT) * s.least_ms / ms) ^ 0.7)
  end
end

local function try_places(s)
  local places = s.upwards and math.ceil(s.held * s.stride) or math.floor(s.held / s.stride)
  if places < 1 then
    s.upwards = true
    places = s.held + 1
  end
  s.places = places
  begin_block(s, 'try')
end

local function end_block(s)
  local mean = s.block_sum / s.block_n
  if s.mode == 'hold' then
    s.hold_mean = mean
    s.hold_n = s.block_n
    try_places(s)
    return
  end
  local gain = math.log(s.places / s.held) - (mean - s.hold_mean)
  local error = math.sqrt(s.spread * (1 / s.block_n + 1 / s.hold_n))
  local step = math.abs(math.log(s.places / s.held))
  local wins = s.upwards and gain > 0.25 * step + 0.5 * error or not s.upwards and gain > 0.3 * step
  if wins then
    s.held = s.places
    s.patience = 1
    if s.upwards then
      s.stride = math.min(WIDEST_STEP, s.stride * STEP)
    end
    s.hold_mean = mean
    s.hold_n = s.block_n
    try_places(s)
    return
  end
  s.stride = STEP
  s.places = s.held
  s.patience = math.min(8, 2 * s.patience)
  s.upwards = not s.upwards
  begin_block(s, 'hold')
end

local function probe_places(s, permit, duration)
  if permit.seq <= s.block_seq then
    return
  end
  s.block_n = s.block_n + 1
  s.block_sum = s.block_sum + math.log(math.max(duration, 1))
  local long = s.mode == 'hold' and s.patience or 1
  if s.block_n >= math.max(12, math.min(s.places, 150)) * long then
    end_block(s)
  end
end

local function refused_by_places(s, permit, in_flight)
  local n = math.max(1, in_flight)
  if permit.at > s.places_at then
    local before = s.places
    local measured = s.places_known and math.max(n, math.floor(0.7 * before)) or n
    s.places = math.max(1, math.min(s.places, measured))
    s.agree = s.places_known and math.abs(s.places - s.places_last) <= math.max(1, 0.1 * s.places_last)
        and math.min(3, s.agree + 1)
      or 0
    s.places_last = s.places
    s.places_known = true
    s.full = true
    s.hold_places = 0
    return
  end
  if n < s.places then
    s.places = n
    s.places_last = n
  end
end

local function grow_places(s, permit, duration)
  if not s.full then
    local fastest = fastest_level(s)
    local times = fastest == nil and 1 or duration / math.exp(fastest)
    local most = math.min(2.5, math.exp(0.2 + 2 * math.sqrt(s.spread)))
    local more = GROWTH * math.max(0, math.min(1, (most - times) / (most - 1)))
    if not s.growth_waits and (s.spread > STEADY or s.places < GROWTH * (permit.ahead + 1) + 2) then
      s.places = s.places + more
    end
  elseif s.places_known then
    s.hold_places = s.hold_places + 1
    local a = s.agree
    local hold = a == 0 and math.max(8, s.places) or math.max(60, math.min(2 * s.places, 300)) * (1 + a * 0.5)
    if s.places > s.places_last then
      hold = math.max(8, s.places)
    end
    if s.hold_places > hold then
      s.places_last = s.places
      s.places_step = math.min(0.5, s.places_step > 0 and s.places_step * 2 or a == 0 and 0.06 or 0.01)
      s.places = s.places + math.max(1, s.places_step * s.places)
      s.hold_places = 0
    end
  else
    probe_places(s, permit, duration)
  end
end
