-- What a pause that ends says of the rate, and what the service states of it.

-- highest rate over any stretch that ends at `to` and holds the pause
local function densest(s, to, n, ms, closed_ms)
  local best = { rate = n / ms }
  local w = math.max(1.2 * closed_ms, 200, 1 / (n / ms))
  local longest = ms - 0.001
  while w <= longest do
    local m = sent_since(s, to - w) - 1
    if m >= math.min(10, n) and m / w > best.rate then
      best.rate = m / w
      best.window = w
    end
    w = w * 1.5
  end
  return best
end

-- The first measurement. Fewer than three accepted requests are none, once: another client of the key may have used that
-- window up.
local function measure_first(s, cycle)
  s.step = 0.3
  s.confidence = 0
  local stretch = densest(s, cycle.to, cycle.n, cycle.ms, cycle.closed_ms)
  cycle.window = stretch.window
  s.rate = math.max(stretch.rate, math.sqrt(cycle.low * cycle.high))
  if cycle.brief then
    s.rate = math.max(s.rate, 0.9 * (s.delivery or 0))
  end
end

-- Accepted by time, over the last window where the cycle is longer or far shorter than that.
local function recent_rate(s, cycle)
  local w = s.window
  if w ~= nil and (cycle.ms > 1.3 * w or cycle.ms < 0.5 * w) then
    return (sent_since(s, cycle.to - w) - 1) / w
  end
  return cycle.low
end

-- One measurement lowers the rate by half at most, and raises it no further than the trial went. What a trial was raised from
-- had passed before: that is lowered by 0.15 at most.
local function bounded(s, cycle, rate)
  local before = s.rate
  if cycle.n < 5 then
    rate = math.max(rate, 0.6 * before)
  elseif cycle.brief and cycle.ms > 3 * (s.window or cycle.ms) then
    rate = math.max(rate, 0.7 * before)
  end
  local least = s.trial_at_close > 0 and 0.85 or 0.5
  return math.max(least * before, math.min(rate, before * (1 + s.trial_at_close) * 1.02))
end

local function measure_again(s, cycle)
  local before = s.rate
  local recent = recent_rate(s, cycle)
  local tried = cycle.brief and s.trial_at_close > 0
  local rate = before
  if cycle.brief and not tried then
    rate = math.min(before, math.max(cycle.low, recent, 0.7 * before))
  elseif not tried then
    rate = math.max(recent, math.min(math.max(before, cycle.low), cycle.high))
  end
  s.rate = bounded(s, cycle, rate)
  if tried then
    s.trial = s.trial_at_close
    fail_trial(s)
    return
  end
  local gap = math.abs(s.rate / before - 1)
  s.confidence = gap < 0.09 and math.min(3, s.confidence + 1) or 0
  s.step = s.confidence > 0 and STEP_LEAST or math.min(0.5, math.max(0.06, gap / 2))
end

-- The window is the cycle, where that is about as long as the last one; four short cycles in a row are those of a bucket.
local function note_window(s, cycle)
  if s.window ~= nil and cycle.ms < 0.5 * s.window then
    s.short_cycles = s.short_cycles + 1
  else
    s.short_cycles = 0
  end
  if s.short_cycles >= 4 then
    -- Chance makes a few in a row as well: a window is given up by half at a time, as trials are as short as it is.
    s.window = math.max(cycle.ms, 10 / s.rate, 0.5 * s.window)
  elseif
    s.window == nil
    or cycle.ms >= 0.5 * s.window and (cycle.ms < 1.5 * s.window or s.confidence == 0)
  then
    -- Where a window slides, part of it is used up when the gate opens: its cycles are shorter than it is.
    s.window = math.max(cycle.window or cycle.ms, 0.8 * (s.window or 0))
  end
end

-- The cycle from the last opening to the sending of the probe that was not refused, `to`.
local function cycle_until(s, to)
  local accepted = s.accepted - 1 - s.opened_accepted
  local n = math.max(1, accepted)
  local ms = math.max(to - s.opened_at, 1)
  local closed_ms = to - s.closed_at
  local low = n / ms
  -- Where the gate opens at the time that the service stated, and that can be trusted, the cycle is known.
  local told_true = s.told ~= nil and s.kept > 0 and math.abs(closed_ms - s.told) <= math.max(1100, 0.03 * s.told)
  local least_ms = math.max(s.bad_at - s.opened_at, 1)
  local high = told_true and 1.02 * low or math.max(low, n / least_ms)
  return {
    to = to,
    n = n,
    nothing = accepted < 1,
    ms = ms,
    closed_ms = closed_ms,
    low = low,
    high = high,
    brief = closed_ms < 0.05 * ms,
  }
end

local function reopen(s, to, now)
  s.probe = nil
  s.phase = 'open'
  judge_told(s, to)
  local cycle = cycle_until(s, to)
  s.opened_at = to
  s.opened_accepted = s.accepted - 1
  if s.rate ~= nil then
    measure_again(s, cycle)
  elseif cycle.nothing or (cycle.n < 3 and not s.ignored) then
    s.ignored = true
    s.pending = 0
    return
  else
    measure_first(s, cycle)
  end
  s.ignored = false
  s.test_share = nil
  note_window(s, cycle)
  s.margin = math.min(0.03, math.max(0.01, 0.1 / cycle.n))
  plan_trial(s, cycle.n)
  -- No burst for the time in which the answer to the probe was awaited: a window that slides, or a bucket, has room for a request at a time.
  s.due = math.max(to + 1 / s.rate, now - 2 / s.rate)
  start_level(s, to)
end

-- The service states its limit: that is used at once, until refusals contradict it. A refused request may count as
-- consumed, so that of several refusals in one pause the least is right.
local function use_stated(s, stated, now)
  local rate = stated.requests / stated.windowMs
  local same = s.stated ~= nil and math.abs(rate / s.stated - 1) < 0.001
  if same or s.phase == 'paused' and s.stated_new and rate > s.stated then
    return
  end
  s.stated = rate
  s.stated_new = s.phase == 'paused'
  s.stated_exact = stated.exact
  s.rate = rate
  s.window = stated.windowMs
  s.trial = 0
  s.since = 0
  s.step = 0.05
  s.confidence = stated.exact and 3 or 0
  s.test_share = nil
  s.hold = math.max(30, 1.5 * stated.requests)
  s.due = math.max(s.due, now)
  start_level(s, now)
end
