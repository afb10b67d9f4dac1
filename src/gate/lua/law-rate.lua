local function start_level(s, now)
  s.level_n = 0
  s.level_refused = 0
  s.level_at = now
end

local function plan_probe(s, now)
  local elapsed = now - s.closed_at
  local at = now + (s.tries == 0 and s.pause or math.max(s.pause, (s.factor - 1) * elapsed))
  if s.told ~= nil and s.broken <= s.kept then
    local told_at = s.closed_at + s.told
    if now < told_at then
      local early = nil
      if s.told > 500 then
        if s.kept == 0 then
          local share = 64
          while share >= 4 and s.told / share <= elapsed do
            share = share / 4
          end
          early = share >= 4 and s.closed_at + s.told / share or nil
        elseif s.tries == 0 and s.told > 3000 and (s.kept == 1 or s.pauses % 4 == 0) then
          early = s.closed_at + s.told / 12
        end
      end
      if early ~= nil and math.max(at, early) < told_at then
        at = math.max(at, early)
      elseif s.told_whole and s.told <= 10000 then
        at = math.min(told_at, math.max(at, told_at - 1000))
      else
        at = told_at
      end
    end
  end
  local most = 900000 * s.scale
  if s.tries > 12 and now - s.closed_at > 6 * most then
    most = 4 * most
  end
  s.probe_at = math.min(at, now + most)
end

local function shut(s, permit, feedback, now)
  s.phase = 'paused'
  s.pauses = s.pauses + 1
  s.closed_at = now
  s.bad_at = permit.at
  s.tries = 0
  s.probe = nil
  s.burst_sent = s.seq - s.burst_from + 1
  s.told = feedback.retryAfterMs
  s.told_whole = s.told ~= nil and s.told % 1000 == 0
  s.trial_at_close = s.trial
  s.late = 0
  local n = s.accepted - s.opened_accepted
  s.factor = n < 20 and 3 or n < 100 and 1.8 or 1.4
  s.pause = math.max(60, 3 * s.refusal_ms)
  if s.rate ~= nil then
    s.pause = math.max(s.pause, math.min(1.2 / s.rate, 1000))
  end
  if s.window ~= nil and s.short_cycles == 0 and s.confidence > 0 then
    s.pause = math.max(s.pause, 0.03 * s.window)
  end
  s.pause = math.max(s.pause, 0.015 * (now - s.opened_at))
  plan_probe(s, now)
end

local function judge_told(s, to)
  if s.told == nil or s.told <= 200 then
    return
  end
  local waited = to - s.closed_at
  if waited < 0.7 * (s.told - 1000) or waited < 0.5 * s.told and s.told <= 1000 then
    s.broken = s.broken + 1
    s.kept = math.floor(s.kept / 2)
  elseif s.tries > 1 and waited >= 0.95 * (s.told - 1000) then
    s.kept = math.min(8, s.kept + 1)
  end
end

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

-- The limit lies between the level and the trial.
local function fail_trial(s)
  s.confidence = s.trial < 0.15 and math.min(3, s.confidence + 1) or 0
  s.step = math.max(0.05, s.trial / 3)
end

local function plan_trial(s, n)
  s.trial = 0
  s.since = 0
  s.episode = s.episode + 0.3 * (s.episode_refusals - s.episode)
  s.episode_refusals = 0
  if s.confidence == 0 then
    s.hold = n < 20 and 8 or 4
  else
    local costly = s.refusals > 0.01 * s.accepted and 1.5 or 0.7
    s.hold = math.max(30, 40 * math.min(6, s.episode) * costly * (s.confidence > 1 and 1.3 or 1))
  end
  s.hold = math.min(s.hold, math.max(30, 1.5 * s.window * s.rate))
end

local function reopen(s, to, now)
  s.probe = nil
  s.phase = 'open'
  judge_told(s, to)
  local n = math.max(1, s.accepted - 1 - s.opened_accepted)
  local ms = math.max(to - s.opened_at, 1)
  local closed_ms = to - s.closed_at
  local least_ms = math.max(s.bad_at - s.opened_at, 1)
  local before = s.rate
  local low = n / ms
  -- Where the gate opens at the time that was told, and that can be trusted, the cycle is known.
  local told_true = s.told ~= nil and s.kept > 0 and math.abs(closed_ms - s.told) <= math.max(1100, 0.03 * s.told)
  local high = told_true and 1.02 * low or math.max(low, n / least_ms)
  local brief = closed_ms < 0.05 * ms
  local window = nil
  if before == nil then
    if n < 5 and not s.ignored then
      s.ignored = true
      s.opened_at = to
      s.opened_accepted = s.accepted - 1
      s.pending = 0
      return
    end
    local stretch = densest(s, to, n, ms, closed_ms)
    window = stretch.window
    s.rate = math.max(stretch.rate, math.sqrt(low * high))
    if brief then
      s.rate = math.max(s.rate, 0.9 * (s.delivery or 0))
    end
    s.step = 0.3
    s.confidence = 0
  else
    local rate
    local recent = low
    if s.window ~= nil and ms > 1.3 * s.window or s.window ~= nil and ms < 0.5 * s.window then
      recent = (sent_since(s, to - s.window) - 1) / s.window
    end
    if brief and s.trial_at_close > 0 then
      rate = before
    elseif brief then
      rate = math.min(before, math.max(low, recent, 0.7 * before))
    else
      rate = math.min(math.max(before, low), high)
      rate = math.max(rate, recent)
    end
    s.falls = n < 5 and math.min(6, s.falls + 1) or 0
    if n < 5 then
      rate = math.max(rate, before * 0.6 ^ s.falls)
    elseif brief and ms > 3 * (s.window or ms) then
      rate = math.max(rate, 0.7 * before)
    end
    rate = math.max(0.5 * before, math.min(rate, before * (1 + s.trial_at_close) * 1.02))
    if brief and s.trial_at_close > 0 then
      s.trial = s.trial_at_close
      fail_trial(s)
    else
      local gap = math.abs(rate / before - 1)
      s.confidence = gap < 0.09 and math.min(3, s.confidence + 1) or 0
      s.step = s.confidence > 0 and 0.05 or math.min(0.5, math.max(0.06, gap / 2))
    end
    s.rate = rate
  end
  s.ignored = false
  s.test_share = nil
  if s.window ~= nil and ms < 0.5 * s.window then
    s.short_cycles = s.short_cycles + 1
  else
    s.short_cycles = 0
  end
  if
    s.window == nil
    or ms >= 0.5 * s.window and (ms < 1.5 * s.window or s.confidence == 0)
    or s.short_cycles >= 4
  then
    s.window = s.short_cycles >= 4 and math.max(ms, 10 / s.rate) or window or ms
  end
  s.margin = math.min(0.03, math.max(0.01, 0.1 / n))
  plan_trial(s, n)
  s.opened_at = to
  s.opened_accepted = s.accepted - 1
  s.due = to + 1 / s.rate
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

-- Refusals that are too sparse for the sequential test: does a lower pace lower their share?
local function suspect_pace(s, now)
  local n, k = s.level_n, s.level_refused
  if s.trial > 0 or s.test_share ~= nil or k < 3 or k <= 2 * s.noise * n + 1.5 * math.sqrt(s.noise * n) then
    return
  end
  s.test_share = k / n
  s.test_rate = s.rate
  s.test_n = math.max(20, math.ceil(5 / s.test_share))
  s.rate = s.rate * (1 - math.min(0.3, math.max(0.03, 1.1 * s.test_share)))
  start_level(s, now)
end

local function end_test(s, now)
  local share = s.level_refused / s.level_n
  if share >= 0.5 * s.test_share then
    s.noise = math.min(0.1, math.max(s.noise, math.min(share, s.test_share)))
    s.rate = s.test_rate
  else
    s.noise = math.max(0.002, math.min(s.noise, share))
    s.confidence = math.max(1, s.confidence)
    s.hold = math.max(30, math.min(120, 2 * s.window * s.rate))
    s.step = 0.05
  end
  s.since = 0
  s.test_share = nil
  start_level(s, now)
end

-- levels of the pace
local function step_level(s, now)
  if s.test_share ~= nil then
    if s.level_n >= s.test_n then
      end_test(s, now)
    end
    return
  end
  if s.trial == 0 then
    local most = s.stated_exact and s.stated / s.rate - 1 or s.step
    if s.since >= s.hold and most > 0.005 then
      s.trial = math.min(s.step, most)
      s.trial_share = 0.5
      start_level(s, now)
    end
  elseif
    s.level_n >= (s.confidence == 0 and 4 or 8)
    and now - s.level_at >= s.trial_share * s.window
  then
    s.rate = s.rate * (1 + s.trial)
    s.step = math.min(1, s.step * 3)
    s.trial = s.stated_exact and math.max(0, math.min(s.step, s.stated / s.rate - 1)) or s.step
    s.trial_share = 0.25
    start_level(s, now)
  end
end
