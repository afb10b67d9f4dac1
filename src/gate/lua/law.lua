local function gap_of(s, permit)
  local gap = permit.seq > s.refused_seq and permit.seq - s.refused_seq or 0
  s.refused_seq = math.max(s.refused_seq, permit.seq)
  if s.score - (gap - 1) <= 0 then
    s.burst_from = permit.seq
    s.burst_refused = 0
  end
  s.burst_refused = s.burst_refused + 1
  return gap
end

local function corroborate(s, gap)
  s.score = math.max(0, s.score - (gap - 1)) + math.log(0.9 / math.min(0.3, math.max(0.002, s.noise)))
  return s.score > SURE
end

-- Requests a millisecond that may be sent now; nil while no limit is known. A rate that was told stays the upper bound.
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

local function end_outage(s)
  s.phase = 'open'
  s.probe = nil
  s.fails = 0
  begin_block(s, 'hold')
  begin_cohort(s)
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
  if s.votes_places > s.votes_rate and s.service_ms ~= nil then
    local at = s.sent_at + 0.6 * s.service_ms / s.places
    return { reason = 'start', ms = math.max(0, at - now) }
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

local function take_back(s, permit)
  s.accepted = s.accepted - 1
  count_sent(s, permit.at, -1)
end

-- The service took the request, whatever it made of the document.
local function law_answered(s, permit, now, in_flight)
  local outage = s.phase == 'outage'
  if outage and (permit.seq == s.probe or permit.at > s.outage_at) then
    end_outage(s)
  end
  if s.phase ~= 'outage' then
    s.fails = 0
  end
  if s.phase == 'paused' then
    if permit.seq == s.probe then
      pass_probe(s, permit.at, now)
    elseif s.vague and s.probe == nil and in_flight < s.full_at then
      s.probe_at = now
    end
  end
  s.noise = math.max(0.002, s.noise * (1 - (s.rate == nil and 1 / 400 or 1 / 1000)))
  s.pending = 0
  s.done = s.done + 1
end

-- A document that came out.
local function law_accepted(s, permit, feedback, now, in_flight)
  law_answered(s, permit, now, in_flight)
  -- A limit that is far from reached needs no pace yet: a few documents pass at once.
  local stated = feedback.stated
  if stated ~= nil and s.phase == 'open' and (s.rate ~= nil or stated.reached) then
    use_stated(s, stated, now)
  end
  local duration = math.max(feedback.durationMs or now - permit.at, 1)
  s.service_ms = s.service_ms == nil and duration or s.service_ms + 0.1 * (duration - s.service_ms)
  s.delivery = s.delivery == nil and (s.done - permit.done) / duration
    or s.delivery + 0.1 * ((s.done - permit.done) / duration - s.delivery)
  note_duration(s, permit.ahead + 1, duration)
  watch_cohort(s, permit, now)
  local queued = feedback.queuedMs or 0
  local work = math.max(duration - queued, 1)
  s.work_ms = s.work_ms == nil and work or s.work_ms + 0.1 * (work - s.work_ms)
  if queued > 0.15 * s.work_ms and queued > 20 then
    -- Of those in flight, as many were worked on as the mean work is of the whole time.
    if permit.at > s.places_at then
      local served = (permit.ahead + 1) * s.work_ms / (s.work_ms + queued)
      s.places = math.max(1, math.ceil(math.min(s.places, math.max(1.05 * served, 0.6 * s.places))))
      s.places_at = now
      s.full = true
      s.places_known = true
      s.places_last = s.places
      s.places_step = 0
      s.hold_places = 0
    end
  elseif permit.at > math.max(s.places_at, s.closed_at) and s.phase == 'open' and permit.bound then
    grow_places(s, permit, duration)
  end
end

local function law_overloaded(s, permit, now)
  if permit.seq == s.probe then
    s.probe = nil
  end
  s.done = s.done + 1
  if permit.at > s.places_at then
    s.places_at = now
    if s.service_ms == nil then
      s.places = math.max(1, 0.7 * s.places)
      return
    end
    settle_places(s, math.min(fit_knee(s) or s.places, 0.7 * s.places), false)
  end
end

local function isolated_refusal(s, permit, now)
  s.episode_refusals = 0
  if s.rate == nil then
    s.noise = math.min(0.08, s.noise + 1 / 400)
  elseif s.trial == 0 then
    s.noise = math.min(0.08, s.noise + 1 / 1000)
    suspect_pace(s, now)
  end
  if s.rate ~= nil and s.trial > 0 and s.level_refused >= 1 + 2 * s.noise * s.level_n + math.sqrt(s.noise * s.level_n) then
    fail_trial(s)
    s.trial = 0
    start_level(s, now)
    s.since = 0
    s.hold = s.confidence > 0 and 90 or 8
  end
end

-- A refusal that is about what is in flight.
local function refused_as_places(s, permit, feedback, now, in_flight, gap)
  if permit.at <= s.places_at then
    if s.places_measures then
      refused_by_places(s, permit, in_flight)
    end
    return
  end
  if s.places_known and s.places > s.places_last then
    local sure = feedback.limit == 'concurrency'
    if not sure then
      s.score = math.max(0, s.score - (gap - 1)) + math.log(0.9 / math.max(0.002, s.noise))
      sure = s.score > 4.6
    end
    if sure then
      s.score = 0
      s.places = s.places_last
      s.places_at = now
      s.places_measures = false
      s.hold_places = 0
      s.places_step = 0
      s.agree = math.min(3, s.agree + 1)
    end
    return
  end
  if not corroborate(s, gap) and s.places_known then
    return
  end
  s.score = 0
  s.places_measures = true
  s.places_step = 0
  refused_by_places(s, permit, in_flight)
  s.places_at = now
end

local function refused_in_pause(s, permit, feedback, now, in_flight)
  s.episode_refusals = s.episode_refusals + 1
  s.bad_at = math.max(s.bad_at, permit.at)
  if permit.seq ~= s.probe then
    s.burst_refused = s.burst_refused + 1
    if s.vague then
      s.full_at = math.max(1, s.full_at - 1)
    end
    return
  end
  s.probe = nil
  if s.vague and permit.ahead < s.full_at then
    s.vague = false
    s.votes_rate = math.min(4, s.votes_rate + 1)
    s.votes_places = 0
  end
  if s.told ~= nil and permit.at >= s.closed_at + s.told - 1 then
    s.late = s.late + 1
    if s.late >= 2 then
      s.broken = math.max(s.broken, s.kept + 1)
    end
  end
  if s.told ~= nil and (feedback.retryAfterMs or 0) > 0 then
    local elapsed = now - s.closed_at
    local left = s.told - elapsed
    if left > 0 and math.abs(feedback.retryAfterMs - left) > 1500 + 0.1 * elapsed then
      s.broken = s.broken + 1
      s.kept = math.floor(s.kept / 2)
    end
    s.told = math.max(1, now + feedback.retryAfterMs - s.closed_at)
  end
  plan_probe(s, now)
end

local function law_refused(s, permit, feedback, now, in_flight)
  if s.phase == 'outage' and (permit.seq == s.probe or permit.at > s.outage_at) then
    end_outage(s)
  end
  take_back(s, permit)
  s.refusals = s.refusals + 1
  s.refusal_ms = s.refusal_ms + 0.1 * (math.min(now - permit.at, 1000) - s.refusal_ms)
  if s.phase == 'paused' then
    if feedback.stated ~= nil then
      use_stated(s, feedback.stated, now)
    end
    refused_in_pause(s, permit, feedback, now, in_flight)
    return
  end
  s.pending = s.pending + 1
  local reached = feedback.stated ~= nil and feedback.stated.reached and feedback.limit ~= 'concurrency'
  if reached and permit.at > s.closed_at then
    s.score = 0
    s.vague = false
    shut(s, permit, feedback, now)
    use_stated(s, feedback.stated, now)
    return
  end
  local gap = gap_of(s, permit)
  local vague = feedback.limit == nil
  if feedback.limit == 'concurrency' or vague and s.votes_places >= 2 and in_flight >= 0.7 * s.places_last then
    refused_as_places(s, permit, feedback, now, in_flight, gap)
    return
  end
  if permit.at <= s.closed_at then
    return
  end
  if permit.at >= s.level_at then
    s.level_refused = s.level_refused + 1
  end
  if not corroborate(s, gap) then
    isolated_refusal(s, permit, now)
    return
  end
  s.score = 0
  s.episode_refusals = 2
  s.vague = vague and in_flight > 0 and s.votes_rate < 3
  s.full_at = in_flight
  shut(s, permit, feedback, now)
end

-- It was never sent, or says nothing of the service.
local function law_unsent(s, permit)
  take_back(s, permit)
  if permit.seq == s.probe then
    s.probe = nil
  end
end

-- The service is not there, or fails at what it gets. `trip`: failures in a row that count as an outage.
local function law_down(s, permit, feedback, now, trip)
  take_back(s, permit)
  if s.phase == 'paused' and permit.seq == s.probe then
    s.probe = nil
    plan_probe(s, now)
  end
  if s.phase == 'outage' then
    if permit.seq == s.probe then
      s.probe = nil
      local ms = math.min(10000 * s.scale, math.max(100 * s.scale, 0.2 * (now - s.outage_at)))
      s.probe_at = now + math.min(ms, feedback.retryAfterMs or ms)
    end
    return
  end
  s.fails = s.fails + 1
  if s.fails >= trip or feedback.retryAfterMs ~= nil then
    s.phase = 'outage'
    s.outage_at = now
    s.probe = nil
    s.probe_at = now + 200 * s.scale
  end
end
