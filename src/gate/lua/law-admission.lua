-- Whether a request may be sent now (GCRA for the rate, and a limit in flight), and what is noted when it is.

-- Requests a millisecond that may be sent now; nil while no limit is known. A stated rate stays the upper bound.
local function pace(s)
  if s.rate == nil then
    return s.rate_cap
  end
  local learned = s.rate * (1 + s.trial) * (1 - s.margin)
  return s.rate_cap ~= nil and math.min(learned, s.rate_cap) or learned
end

local function room_of(s)
  local places = s.places_cap ~= nil and math.min(s.places, s.places_cap) or s.places
  if s.restrained ~= nil and s.rate == nil then
    places = math.min(places, s.restrained)
  end
  return math.max(1, math.floor(places))
end

local function catch_up(s)
  return math.max(20, math.min(500, (s.window or s.cap_window or 0) / 40))
end

-- Between its first refusal and the closing nearly all was accepted; or most, unless that was said just before.
local function is_chance(s)
  local share = s.burst_refused / s.burst_sent
  return s.burst_sent >= 6 and (share < 0.12 or share < 0.3 and s.burst_from > s.dismissed_at + 300)
end

-- Most of what was sent between the first refusal and the closing was accepted: chance brought refusals together.
local function dismiss_burst(s, at, now)
  s.probe = nil
  s.phase = 'open'
  s.pending = 0
  s.noise = math.min(0.08, s.noise + s.burst_refused / 400)
  s.dismissed_at = s.seq
end

-- A probe in a pause was accepted. Below what was in flight at the refusal, it was the places that were taken.
local function pass_probe(s, at, now)
  if is_chance(s) then
    dismiss_burst(s, at, now)
    return
  end
  if not s.vague or s.probe_ahead >= s.full_at then
    if s.vague then
      s.votes_rate = math.min(4, s.votes_rate + 1)
      s.votes_places = 0
    end
    reopen(s, at, now)
    return
  end
  s.probe = nil
  s.phase = 'open'
  s.votes_places = math.min(4, s.votes_places + 1)
  s.votes_rate = 0
  local before = s.places_last
  s.places = s.places_known and math.max(s.full_at, math.floor(0.7 * s.places)) or s.full_at
  s.agree = s.places_known and math.abs(s.places - before) <= math.max(1, 0.1 * before) and math.min(3, s.agree + 1)
    or 0
  s.places_last = s.places
  s.places_known = true
  s.places_measures = false
  s.places_at = s.closed_at
  s.full = true
  s.hold_places = 0
  s.pending = 0
  start_level(s, now)
end

local function refusal_patience(s)
  return math.max(60, 4 * s.refusal_ms)
end

-- 0: may be sent
local function law_wait(s, now, in_flight)
  if s.phase == 'outage' then
    if s.probe ~= nil and now - s.sent_at < 10000 * s.scale then
      return { reason = 'outage', ms = 10000 * s.scale - (now - s.sent_at) }
    end
    return { reason = 'outage', ms = math.max(0, s.probe_at - now) }
  end
  if s.phase == 'paused' then
    if s.probe ~= nil then
      local left = refusal_patience(s) - (now - s.probe_sent_at)
      if left > 0 then
        return { reason = 'refused', ms = left }
      end
      pass_probe(s, s.probe_sent_at, now)
    elseif s.probe_at > now then
      return { reason = 'refused', ms = s.probe_at - now }
    end
  end
  local room = room_of(s)
  if in_flight >= room or in_flight > 0 and pace(s) == nil and s.pending > 0 and in_flight + s.pending >= room then
    return { reason = 'places' }
  end
  if s.phase == 'paused' then
    return { ms = 0 }
  end
  if pace(s) ~= nil then
    local due = math.max(s.due, now - catch_up(s))
    return { reason = 'rate', ms = math.max(0, due - now) }
  end
  return { ms = 0 }
end

-- in_flight: with this one
local function law_sent(s, now, in_flight)
  s.seq = s.seq + 1
  s.accepted = s.accepted + 1
  s.sent_at = now
  if s.seq == s.cohort_from + math.ceil(0.5 * s.cohort_size) then
    s.cohort_mid_at = now
    s.cohort_level = in_flight
  end
  count_sent(s, now, 1)
  local permit = {
    seq = s.seq,
    at = now,
    ahead = in_flight - 1,
    done = s.done,
    bound = in_flight >= room_of(s) - 1 or in_flight >= 0.8 * room_of(s),
  }
  if s.phase == 'outage' then
    s.probe = s.seq
  elseif s.phase == 'paused' then
    s.probe = s.seq
    s.probe_sent_at = now
    s.probe_ahead = in_flight - 1
    s.tries = s.tries + 1
  elseif pace(s) ~= nil then
    local earliest = now - catch_up(s)
    local paced = s.due > earliest
    s.due = math.max(s.due, earliest) + 1 / pace(s)
    if paced and s.rate ~= nil then
      s.level_n = s.level_n + 1
      s.since = s.since + 1
      step_level(s, now)
    end
  end
  return permit
end
