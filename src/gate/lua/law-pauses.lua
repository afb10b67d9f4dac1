-- Pauses: when to close after corroborated refusals, when to probe, and whether the service keeps the times that it states.

local function plan_probe(s, now)
  local elapsed = now - s.closed_at
  local at = now + (s.tries == 0 and s.pause or math.max(s.pause, (s.factor - 1) * elapsed))
  if s.told ~= nil and s.broken <= s.kept then
    local told_at = s.closed_at + s.told
    if now < told_at then
      local early = nil
      if s.told > 500 then
        if s.kept == 0 then
          -- The first of them within a minute: a service that says a day may mean a minute.
          local share = 64
          while s.told / share > 60000 * s.scale do
            share = share * 4
          end
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
  -- Windows follow each other: the end of each is tried once, whatever the service states; not for ever, as below.
  if s.window ~= nil and s.short_cycles == 0 and s.tries <= 12 then
    local turn = s.opened_at + s.window * math.ceil((now + s.pause - s.opened_at) / s.window)
    at = math.min(at, turn + 1)
  end
  -- Where a refused request counts against the limit, probes at a fixed distance would keep it closed for good.
  local most = math.max(900000 * s.scale, s.tries > 12 and elapsed / 6 or 0)
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
  -- Probes of a pause must cost little beside the requests of its cycle.
  s.factor = n < 20 and 3 or n < 100 and 1.8 or math.max(1.08, math.min(1.4, 1 + 200 / n))
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

-- What is left of the wait that the service asked for; nil without one.
local function asked_ms(s, now)
  return s.phase == 'paused' and s.told ~= nil and math.max(s.closed_at + s.told - now, 0) or nil
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
