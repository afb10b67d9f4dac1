-- Durations by number in flight: the number from which on more in flight deliver no more.

local function level_of(n)
  return math.max(1, math.min(LEVELS, math.floor(2.885390081777927 * math.log(n) + 0.5) + 1))
end

local function note_duration(s, n, duration)
  local y = math.log(math.max(duration, 1))
  local k = level_of(n)
  local count = s.level_count[k]
  if count >= 3 then
    local off = y - s.level_sum[k] / count
    s.spread_n = s.spread_n + 1
    s.spread = s.spread + math.max(0.05, 1 / (s.spread_n + 2)) * (off * off - s.spread)
  end
  if count >= 40 then
    count = 0.5 * count
    s.level_sum[k] = 0.5 * s.level_sum[k]
    s.level_at_n[k] = 0.5 * s.level_at_n[k]
  end
  s.level_at_n[k] = s.level_at_n[k] + math.log(n)
  s.level_count[k] = count + 1
  s.level_sum[k] = s.level_sum[k] + y
end

-- Mean log of the duration where it is shortest.
local function fastest_level(s)
  local fastest = nil
  for k = 1, LEVELS do
    if s.level_count[k] >= 4 and (fastest == nil or s.level_sum[k] / s.level_count[k] < fastest) then
      fastest = s.level_sum[k] / s.level_count[k]
    end
  end
  return fastest
end

-- The number in flight from which on more deliver no more, by a fit of the logarithm of the duration over that of the
-- number in flight: level up to a knee, a straight line from there, whose slope is kept (1 in a queue, more in a collapse).
-- Nil while the line is not known to rise that much.
local function fit_knee(s)
  local w, wy = 0, 0
  local low, high = nil, nil
  for k = 1, LEVELS do
    local n = s.level_count[k]
    if n > 0 then
      w = w + n
      wy = wy + s.level_sum[k]
      low = low or s.level_at_n[k] / n
      high = s.level_at_n[k] / n
    end
  end
  if low == nil or high - low < 0.3 then
    return nil
  end
  local mean = wy / w
  local best, best_gain, best_slope = nil, 0, 0
  local c = low
  while c < high do
    local wx, xx, xy = 0, 0, 0
    for k = 1, LEVELS do
      local n = s.level_count[k]
      if n > 0 then
        local x = math.max(0, s.level_at_n[k] / n - c)
        wx = wx + n * x
        xx = xx + n * x * x
        xy = xy + x * (s.level_sum[k] - n * mean)
      end
    end
    local spread = xx - wx * wx / w
    if spread > 0.001 and xy > 0 and xy * xy / spread > best_gain then
      best = c
      best_gain = xy * xy / spread
      best_slope = xy / spread
    end
    c = c + 0.12
  end
  if best == nil or best_gain < 6 * s.spread or best_slope < 0.8 then
    return nil
  end
  s.slope = best_slope
  return math.exp(best)
end

-- Sequential test in slow start: do completed requests take longer by SHIFT (a logarithm) than the first ones did? CUSUM of
-- the likelihood ratio of two normal distributions of the logarithm.
local SHIFT = 0.35
local SHIFT_SURE = 7

-- Duration grows with the number in flight to this power; in the middle of a queue (1) and a steep collapse (2).
local STEEPNESS = 1.6

local function is_slowing(s, n, duration)
  local y = math.log(math.max(duration, 1))
  if s.base_n < 10 then
    s.base_n = s.base_n + 1
    s.base = s.base + (y - s.base) / s.base_n
    return false
  end
  local variance = math.max(0.004, s.spread)
  if s.spread_n < 12 or variance > 0.03 then
    return false
  end
  local over = y - s.base - 2 * math.sqrt(variance / s.base_n)
  s.slowing = math.max(0, s.slowing + SHIFT * (over - 0.5 * SHIFT) / variance)
  if s.slowing == 0 then
    s.slow_n = 0
    s.slow_knee = 0
    return false
  end
  s.slow_n = s.slow_n + 1
  s.slow_knee = s.slow_knee + math.log(n) - (y - s.base) / STEEPNESS
  return s.slowing > SHIFT_SURE
end
