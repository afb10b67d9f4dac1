-- How long requests take by how many are in flight, in half octaves: 1, 1.4, 2, 2.8, ... 2,896.
local LEVELS = 24
local GROWTH = 1.5

local function level_of(n)
  return math.max(1, math.min(LEVELS, math.floor(2.885390081777927 * math.log(n) + 0.5) + 1))
end

local function level_size(k)
  return math.exp((k - 1) * 0.34657359027997264)
end

-- Log of what is delivered at a level: what is in flight by what one takes.
local function delivery_at(s, k)
  return (k - 1) * 0.34657359027997264 - s.level_sum[k] / s.level_count[k]
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
  end
  s.level_count[k] = count + 1
  s.level_sum[k] = s.level_sum[k] + y
end

local function best_level(s, from, to)
  local best = nil
  for k = from, to do
    if s.level_count[k] >= 4 and (best == nil or delivery_at(s, k) > delivery_at(s, best)) then
      best = k
    end
  end
  return best
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

local function begin_block(s, mode)
  s.mode = mode
  s.block_seq = s.seq
  s.block_n = 0
  s.block_sum = 0
end

local function settle_places(s, places, upwards)
  s.places = math.max(1, math.floor(places + 0.5))
  s.held = s.places
  s.full = true
  s.patience = 1
  s.upwards = upwards
  begin_block(s, 'hold')
end

-- Slow start ends where more in flight deliver no more.
local function check_growth(s, n)
  local k = level_of(n)
  if s.level_count[k] < 4 or k < 3 then
    return
  end
  local low = best_level(s, 1, k - 1)
  if low == nil then
    return
  end
  local gain = delivery_at(s, k) - delivery_at(s, low)
  local error = math.sqrt(s.spread * (1 / s.level_count[k] + 1 / s.level_count[low]))
  if gain < -0.1 - 1.3 * error then
    settle_places(s, level_size(best_level(s, 1, LEVELS)), false)
    return
  end
  if k >= low + 2 and gain < 0.12 - 0.5 * error and s.level_count[k] >= 10 then
    settle_places(s, level_size(low) * 1.2, true)
  end
end

local function end_block(s)
  local mean = s.block_sum / s.block_n
  if s.mode == 'hold' then
    s.hold_mean = mean
    s.hold_n = s.block_n
    local step = s.upwards and 1.41 or 0.71
    local places = s.upwards and math.ceil(s.held * step) or math.floor(s.held * step)
    if places < 1 then
      s.upwards = true
      places = s.held + 1
    end
    s.places = places
    begin_block(s, 'try')
    return
  end
  local gain = math.log(s.places / s.held) - (mean - s.hold_mean)
  local error = math.sqrt(s.spread * (1 / s.block_n + 1 / s.hold_n))
  local wins = s.upwards and gain > 0.08 + 0.5 * error or not s.upwards and gain > -0.02
  if wins then
    s.held = s.places
    s.patience = 1
    if s.upwards and gain > 0.2 then
      s.full = false
      for k = 1, LEVELS do
        s.level_count[k] = 0
        s.level_sum[k] = 0
      end
    end
  else
    s.places = s.held
    s.patience = math.min(8, 2 * s.patience)
    s.upwards = not s.upwards
  end
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
    s.places_before = before
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
    s.places = s.places + GROWTH * math.max(0, math.min(1, (2.5 - times) / 1.5))
    check_growth(s, permit.ahead + 1)
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
