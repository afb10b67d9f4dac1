-- How a document gets a place: by `enter`, or by `leave`, which hands the place that it releases to the next document
-- of the same process.

-- `ms`: when the turn of the document may come. `ask_ms`: when its process asks again at the latest, called or not.
local function wait(reason, ms, ask_ms)
  return { kind = 'wait', reason = reason, waitMs = math.max(1, ms), askInMs = ask_ms }
end

-- Removes processes from the line that died in it: nothing calls them while all wait for a distant time.
local function sweep_line()
  if not ask.alivePrefix then
    return
  end
  for _, process in ipairs(redis.call('ZRANGEBYSCORE', LINE, '-inf', now - 600000, 'LIMIT', 0, 8)) do
    if redis.call('EXISTS', ask.alivePrefix .. process) == 0 then
      redis.call('ZREM', LINE, process)
    end
  end
end

-- Tells a process of a place, in so many milliseconds. One that has no subscription any more leaves the line.
local function call(process, in_ms)
  local heard = redis.call('PUBLISH', ask.wakePrefix .. process, in_ms) > 0
  if not heard then
    redis.call('ZREM', LINE, process)
  end
  return heard
end

-- Calls the processes in line up to `last` (an index as of ZRANGE), one `interval` after the other from `from_ms` on.
-- Answers the turn of this process, which is not called.
local function call_in_turn(last, from_ms, interval)
  local own = nil
  for i, process in ipairs(redis.call('ZRANGE', LINE, 0, last)) do
    local in_ms = from_ms + (i - 1) * interval
    if process == ask.process then
      own = in_ms
    else
      call(process, in_ms)
    end
  end
  return own
end

-- The gate has opened: calls every process in line for its turn. Answers that of this process.
local function wake_all()
  return call_in_turn(-1, 0, pace(s) and 1 / pace(s) or 1)
end

-- Takes this process's place in the line, or keeps the one it has; answers how many stand before it.
local function stand_in_line()
  sweep_line()
  redis.call('ZADD', LINE, 'NX', now, ask.process)
  return redis.call('ZRANK', LINE, ask.process)
end

-- A free place that another process was called for is reserved: that process is still on its way, and the releasing
-- process would otherwise always win the race.
local function promised()
  return number('promised_until', 0) > now
end

local function room_for(process)
  local kept = promised() and state.promised_to ~= process
  return room_of(s) - (kept and 1 or 0)
end

-- Ends a lease that its process did not release.
local function drop(id)
  redis.call('ZREM', OPEN, id)
  leases = nil
end

-- Frees the places of dead processes, whose heartbeat has stopped. Runs where places are short, once a second at most.
-- Answers whether one came free.
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

-- A process asks for a probe that is not its turn only after so long: the processes before it are gone.
local UNCALLED = 60 * SECOND

-- Puts this process in line; answers how long, in milliseconds, it is likely to wait for one of the places.
local function turn_in_line(room)
  return (stand_in_line() + 1) * (s.service_ms or 1000) / math.max(room, 1)
end

-- What keeps a document from a place; nil where nothing does. `unread`: it is not read yet.
local function refusal(unread)
  if (state.paused or '') ~= '' then
    stand_in_line()
    return wait('paused', 1000, UNCALLED) -- `resume` calls all in line
  end
  if state.probe_now == '1' then
    put('probe_now', '0')
    s.probe_at = now
    if (state.shut or '') ~= '' then
      put('shut_until', 0)
    end
  end
  local shut = state.shut or ''
  local shut_for = number('shut_until', 0) - now
  if shut ~= '' and shut_for > 0 then
    return { kind = 'halted', cause = shut, message = state.shut_message, retryInMs = shut_for }
  end
  local room = room_for(ask.process)
  local found = limit()
  -- The law may keep the last free places empty after a refusal, until a request ends: one of the dead never does.
  if (in_flight() >= room or found.reason == 'places') and drop_leases_of_the_dead() then
    found = limit()
  end
  if found.reason == 'places' or in_flight() >= room and s.phase == 'open' then
    local oldest = tonumber(redis.call('ZRANGE', OPEN, 0, 0, 'WITHSCORES')[2] or now)
    return wait('places', math.min(turn_in_line(math.max(room, 1)), oldest + ask.leaseMs - now))
  end
  if found.reason and s.phase == 'open' then
    local interval = pace(s) and 1 / pace(s) or 1
    return wait(found.reason, found.ms + stand_in_line() * interval)
  elseif found.reason then
    -- The first process in line sends the probe; the others are called when the gate opens.
    return wait(found.reason, found.ms, found.ms + stand_in_line() * UNCALLED)
  end
  -- A probe that is not refused soon counts as accepted: its document must be read before.
  if unread and s.phase == 'paused' then
    stand_in_line()
    return { kind = 'wait', reason = 'refused', waitMs = 1, readFirst = true }
  end
  return nil
end

-- Takes the place. `more`: the process has further documents that wait, so that it stays in line, as the last one.
local function take(ticket)
  local room = room_for(ask.process)
  if state.promised_to == ask.process then
    put('promised_until', 0)
  end
  -- Half-open: the request that passes a gate shut for credits or a key is its probe, and shuts it again behind itself.
  if (state.shut or '') ~= '' then
    put('shut_until', now + WINDOW)
  end
  local permit = law_sent(s, now, in_flight() + 1)
  redis.call('ZADD', OPEN, now, ticket.id)
  leases = nil
  redis.call('ZREM', LINE, ask.process)
  add('admitted', 1)
  local admitted = { kind = 'admitted', enteredAt = now, ahead = permit.ahead, seq = permit.seq, done = permit.done, bound = permit.bound }
  if ticket.more and permit.ahead + 1 >= room then
    admitted.fullForMs = turn_in_line(math.max(room, 1))
  end
  return admitted
end

-- The place that it has already: it asks again, because the first answer was lost on its way.
local function place_of(id)
  local entered_at = tonumber(redis.call('ZSCORE', OPEN, id) or nil)
  return entered_at
    and { kind = 'admitted', enteredAt = entered_at, ahead = in_flight() - 1, seq = s.seq, done = s.done, bound = false }
end
