-- Fair-share hand-off: the line of waiting processes. A process that releases a place gives it to its own next request,
-- which saves a round trip. It yields to a process in line with at least two places and a quarter fewer, or to one that
-- waits longer than its turn should take. The script calls that process, reserves the place for it, and moves it to the
-- end of the line. Places therefore move one at a time to processes below their share, and stay while shares are even.

-- TTL of a reserved place: a call, a busy event loop, and a request to Redis.
local PROMISED_MS = 250

-- A process takes over a probe of another only after this time: the processes ahead of it are gone.
local UNCALLED = 60 * SECOND

-- `ms`: wait of the request. `ask_ms`: latest time of its process's next poll, without a call.
local function wait(reason, ms, ask_ms)
  return { kind = 'wait', reason = reason, waitMs = math.max(1, ms), askInMs = ask_ms and math.max(1, ask_ms) }
end

-- Removes dead processes from the line: while all wait for a distant time, no call would detect them.
local function sweep_line()
  for _, process in ipairs(redis.call('ZRANGEBYSCORE', LINE, '-inf', now - 600000, 'LIMIT', 0, 8)) do
    if redis.call('EXISTS', ask.alivePrefix .. process) == 0 then
      redis.call('ZREM', LINE, process)
    end
  end
end

-- Puts this process in line, or keeps its position; returns the number of processes ahead.
local function stand_in_line()
  if ask.alivePrefix then
    sweep_line()
  end
  redis.call('ZADD', LINE, 'NX', now, ask.process)
  return redis.call('ZRANK', LINE, ask.process)
end

-- Wakes a process: a place is free in `in_ms`. A process without a subscription leaves the line.
local function call(process, in_ms)
  local heard = redis.call('PUBLISH', ask.wakePrefix .. process, in_ms) > 0
  if not heard then
    redis.call('ZREM', LINE, process)
  end
  return heard
end

-- Calls the processes in line up to index `last`, one per `interval` from `from_ms` on. Returns the turn of this
-- process, which gets no call.
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

-- Milliseconds from one request to the next.
local function interval()
  return pace(s) and 1 / pace(s) or 1
end

-- The gate has opened: calls every process in line for its turn. Returns the turn of this process.
local function call_all()
  return call_in_turn(-1, 0, interval())
end

-- A free place is reserved for the process that was called: it is still on its way, and the releasing process would
-- otherwise always win the race.
local function promised()
  return number('promised_until', 0) > now
end

local function room_for(process)
  local kept = promised() and state.promised_to ~= process
  return room_of(s) - (kept and 1 or 0)
end

-- Puts this process in line; returns its estimated wait for one of the places.
local function turn_in_line(room)
  return (stand_in_line() + 1) * (service_ms() or 1000) / math.max(room, 1)
end

-- Number of places per process, counted over a sample: the requests that are in flight for longest.
local function places_held()
  local held = {}
  for _, id in ipairs(redis.call('ZRANGE', OPEN, 0, 255)) do
    local process = string.match(id, '^(.*)-')
    held[process] = (held[process] or 0) + 1
  end
  return held
end

-- Reserves the released place for the process that is owed it, if any, and returns the wait of this process.
local function give_to_another()
  if promised() then
    return nil
  end
  local room = room_of(s)
  local turn_ms = (service_ms() or 1000) * redis.call('ZCARD', LINE) / room
  local in_line = redis.call('ZRANGE', LINE, 0, 7, 'WITHSCORES')
  local alone = #in_line == 2 and in_line[1] == ask.process
  local held = alone and {} or places_held()
  local had = (held[ask.process] or 0) + 1
  for i = 1, #in_line, 2 do
    local process, since = in_line[i], tonumber(in_line[i + 1])
    local fewer = had - (held[process] or 0)
    local owed = fewer >= math.max(2, had / 4) or now - since > turn_ms
    if process ~= ask.process and owed and call(process, 0) then
      put('promised_to', process)
      put('promised_until', now + PROMISED_MS)
      redis.call('ZADD', LINE, 'XX', now, process)
      return wait('places', turn_in_line(room))
    end
  end
  return nil
end

-- Calls the first in line if places are free. Returns the turn of this process if it is among them.
local function call_first()
  local free = room_of(s) - in_flight() - (promised() and 1 or 0)
  local found = limit()
  if free <= 0 or found.reason ~= nil and found.ms == nil then
    return nil
  end
  return call_in_turn(math.min(free, 2) - 1, found.ms or 0, s.phase == 'open' and pace(s) and interval() or 0)
end
