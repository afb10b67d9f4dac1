-- Grants permits: to `acquire`, and to `release`, which hands its place to the next request of the same process.

-- Ends a lease that its process did not release.
local function drop(id)
  redis.call('ZREM', OPEN, id)
  leases = nil
end

-- Frees the places of dead processes, whose heartbeat stopped. Runs at most once a second, when places are short.
-- Returns true if a place became free.
local function drop_leases_of_the_dead()
  if not ask.alivePrefix or now - number('swept_at', 0) < 1000 then
    return false
  end
  local before = in_flight()
  put('swept_at', now)
  local alive = {}
  for _, id in ipairs(redis.call('ZRANGE', OPEN, 0, -1)) do
    local process = string.match(id, '^(.*)-')
    if alive[process] == nil then
      alive[process] = redis.call('EXISTS', ask.alivePrefix .. process) == 1
    end
    if not alive[process] then
      drop(id)
    end
  end
  return in_flight() < before
end

-- `resume` admits the next request: an outage, a halt or a stated wait may be over.
local function take_resume()
  if state.probe_now ~= '1' then
    return
  end
  put('probe_now', '0')
  s.probe_at = now
  if (state.shut or '') ~= '' then
    put('shut_until', 0)
  end
end

-- Reason to hold a request back; nil without one. Order of the checks: manual pause, halt, law.
local function refusal()
  if (state.paused or '') ~= '' then
    stand_in_line()
    return wait('paused', 1000, UNCALLED) -- `resume` calls all in line
  end
  take_resume()
  local shut_for = number('shut_until', 0) - now
  if (state.shut or '') ~= '' and shut_for > 0 then
    return { kind = 'halted', cause = state.shut, message = state.shut_message, retryInMs = shut_for }
  end
  local found = limit()
  local room = room_for(ask.process)
  local full = in_flight() >= room
  if full and drop_leases_of_the_dead() then
    found = limit()
    full = in_flight() >= room
  end
  if found.reason == 'places' or full and s.phase == 'open' then
    local oldest = tonumber(redis.call('ZRANGE', OPEN, 0, 0, 'WITHSCORES')[2] or now)
    return wait('places', math.min(turn_in_line(room), oldest + ask.leaseMs - now))
  elseif found.reason and s.phase == 'open' then
    return wait(found.reason, found.ms + stand_in_line() * interval())
  elseif found.reason then
    -- The first process in line sends the probe; the opening gate calls the others.
    return wait(found.reason, found.ms, found.ms + stand_in_line() * UNCALLED)
  end
  return nil
end

-- Wait of this process's next request, sent with a permit: it saves a futile poll.
local function wait_of_next(taken)
  local room = room_for(ask.process)
  local found = limit()
  if taken >= room then
    return wait('places', turn_in_line(room))
  end
  return found.reason == 'rate' and wait('rate', found.ms + stand_in_line() * interval()) or nil
end

-- Takes the place. `more`: further requests of the process wait.
local function take(want)
  if state.promised_to == ask.process then
    put('promised_until', 0)
  end
  -- Half-open: the request that passes a halted gate is its probe, and closes the gate again.
  if (state.shut or '') ~= '' then
    put('shut_until', now + WINDOW)
  end
  local permit = law_sent(s, now, in_flight() + 1)
  redis.call('ZADD', OPEN, now, want.id)
  leases = nil
  redis.call('ZREM', LINE, ask.process)
  add('admitted', 1)
  local granted = { kind = 'permit', sentAt = now, ahead = permit.ahead, seq = permit.seq, bound = permit.bound }
  granted.next = want.more and wait_of_next(permit.ahead + 1) or nil
  return granted
end

-- The place that the request already has: it asks again, because the connection lost the first reply.
local function place_of(id)
  local sent_at = tonumber(redis.call('ZSCORE', OPEN, id) or nil)
  return sent_at and { kind = 'permit', sentAt = sent_at, ahead = in_flight() - 1, seq = s.seq, bound = false }
end
