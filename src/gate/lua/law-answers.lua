-- What every answer but a refusal teaches.

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
  -- Refusals of a trial do not raise the estimate of the noise, so its other answers do not lower it.
  if s.rate == nil or s.trial == 0 then
    s.noise = math.max(0.002, s.noise * (1 - (s.rate == nil and 1 / 400 or 1 / 1000)))
  end
  s.pending = 0
  s.done = s.done + 1
end

-- The limit in flight kept others back: when the request was sent or, in slow start, when it ended.
local function was_bound(s, permit, in_flight)
  return permit.bound or not s.full and in_flight + 1 >= 0.8 * room_of(s)
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
  s.carried = math.max(math.min(permit.ahead, in_flight) + 1, s.carried * (1 - 0.05 / (s.carried + 1)))
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
  elseif permit.at > math.max(s.places_at, s.closed_at) and s.phase == 'open' and was_bound(s, permit, in_flight) then
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
    set_places(s, math.min(fit_knee(s) or s.places, 0.7 * s.places), false)
  end
end

-- It was never sent, or says nothing of the service.
local function law_unsent(s, permit)
  take_back(s, permit)
  if permit.seq == s.probe then
    s.probe = nil
  end
end

-- Nothing was sent: the pace owes the next request nothing for it.
local function law_withdrawn(s, permit)
  law_unsent(s, permit)
  if s.phase == 'open' and pace(s) ~= nil then
    s.due = s.due - 1 / pace(s)
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
