-- Fair-share hand-off: the line of processes that wait, and whose turn it is. A process that releases a place gives it to
-- its own next request, which saves the way to another process, unless another is owed it: one in line that has at least
-- two places and a quarter fewer than the releasing one, or that has waited for longer than its turn should take. That
-- process is called, the place is promised to it, and it stands last from then on. So places move one at a time to the
-- processes below their share, and stay where they are while shares are even.

-- How long a promised place waits for its process: a call, an event loop that is busy, and a question.
local PROMISED_MS = 250

-- A process asks for a probe that is not its turn only after so long: the processes before it are gone.
local UNCALLED = 60 * SECOND

-- `ms`: when the request may go. `ask_ms`: when its process asks again at the latest, called or not.
local function wait(reason, ms, ask_ms)
  return { kind = 'wait', reason = reason, waitMs = math.max(1, ms), askInMs = ask_ms and math.max(1, ask_ms) }
end

-- Removes processes that died in the line: nothing calls them while all wait for a distant time.
local function sweep_line()
  for _, process in ipairs(redis.call('ZRANGEBYSCORE', LINE, '-inf', now - 600000, 'LIMIT', 0, 8)) do
    if redis.call('EXISTS', ask.alivePrefix .. process) == 0 then
      redis.call('ZREM', LINE, process)
    end
  end
end

-- Puts this process in line, or keeps its place there; answers how many stand before it.
local function stand_in_line()
  if ask.alivePrefix then
    sweep_line()
  end
  redis.call('ZADD', LINE, 'NX', now, ask.process)
  return redis.call('ZRANK', LINE, ask.process)
end

-- Tells a process that a place is free in so many milliseconds. One that has no subscription any more leaves the line.
local function call(process, in_ms)
  local heard = redis.call('PUBLISH', ask.wakePrefix .. process, in_ms) > 0
  if not heard then
    redis.call('ZREM', LINE, process)
  end
  return heard
end

-- Calls the processes in line up to index `last`, one `interval` after the other from `from_ms` on. Answers the turn of this
-- process, which is not called.
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

-- The gate has opened: calls every process in line for its turn. Answers that of this process.
local function call_all()
  return call_in_turn(-1, 0, interval())
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

-- Puts this process in line; answers how long it is likely to wait for one of the places.
local function turn_in_line(room)
  return (stand_in_line() + 1) * (service_ms() or 1000) / math.max(room, 1)
end

-- Places by the process that has them: of those in flight for longest, which show enough where there are many.
local function places_held()
  local held = {}
  for _, id in ipairs(redis.call('ZRANGE', OPEN, 0, 255)) do
    local process = string.match(id, '^(.*)-')
    held[process] = (held[process] or 0) + 1
  end
  return held
end

-- Promises the released place to the process that is owed it, if any, and answers the wait of this one.
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

-- Calls the first in line where places are free. Answers the turn of this process, if it is one of them.
local function call_first()
  local free = room_of(s) - in_flight() - (promised() and 1 or 0)
  local found = limit()
  if free <= 0 or found.reason ~= nil and found.ms == nil then
    return nil
  end
  return call_in_turn(math.min(free, 2) - 1, found.ms or 0, s.phase == 'open' and pace(s) and interval() or 0)
end
