-- What a refusal says: chance, the rate, or the number in flight.

local SURE = 6.9

-- Requests at the held pace after which it is known to be allowed.
local PROVEN = 30

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

local function end_outage(s)
  s.phase = 'open'
  s.probe = nil
  s.fails = 0
  begin_block(s, 'hold')
  begin_cohort(s)
end

local function take_back(s, permit)
  s.accepted = s.accepted - 1
  count_sent(s, permit.at, -1)
  leave_cohort(s, permit)
end

-- A level that was held for a few requests only, after a pause that measured something new, is not known to lie below the
-- limit: then the failure brackets nothing, and the level is held for longer before the next trial.
local function give_up_trial(s, now)
  local proven = s.hold >= PROVEN
  fail_trial(s)
  s.confidence = proven and s.confidence or 0
  s.hold = s.confidence > 0 and 90 or proven and 8 or PROVEN
  s.trial = 0
  s.since = 0
  start_level(s, now)
end

local function isolated_refusal(s, permit, now)
  if s.rate == nil then
    s.noise = math.min(0.08, s.noise + 1 / 400)
  elseif s.trial == 0 then
    s.noise = math.min(0.08, s.noise + 1 / 1000)
    suspect_pace(s, now)
  end
  if s.rate ~= nil and s.trial > 0 and trial_odds(s, now) > TRIAL_FAILED then
    give_up_trial(s, now)
  end
end

-- More than that has been accepted: a limit in flight does not explain a refusal at fewer.
local function was_carried(s, in_flight)
  return in_flight + 1 < 0.85 * s.carried
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
    s.noise = math.min(0.08, s.noise + 1 / 1000)
    return
  end
  s.score = 0
  s.places_measures = true
  s.places_step = 0
  refused_by_places(s, permit, in_flight)
  s.places_at = now
end

local function refused_in_pause(s, permit, feedback, now, in_flight)
  s.bad_at = math.max(s.bad_at, permit.at)
  if permit.seq ~= s.probe then
    s.burst_refused = s.burst_refused + 1
    if s.vague then
      -- It was in flight when the gate closed, and perhaps ahead of the probe, but took no place.
      s.full_at = math.max(1, s.full_at - 1)
      if s.probe ~= nil and permit.seq < s.probe then
        s.probe_ahead = math.max(0, s.probe_ahead - 1)
      end
    end
    return
  end
  s.probe = nil
  if s.vague and s.probe_ahead < s.full_at then
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
  local vague = feedback.limit == nil and not was_carried(s, in_flight)
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
  s.vague = vague and in_flight > 0 and (s.votes_rate < 3 or s.pauses % 8 == 0)
  s.full_at = in_flight
  shut(s, permit, feedback, now)
end
