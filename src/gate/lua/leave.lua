-- Gives a place back and learns from how the request ended. A refusal is a measurement: all requests on the key came
-- through this gate, so that at a refusal those accepted in the last window are the rate, and those in flight the
-- places. `ask.kind` says how it ended (src/gate/outcome-of.ts).

-- `gentle`: the service queued the request in place of refusing it.
local function learn_places(in_flight, gentle)
  local base = number('places', ask.placesCeiling or FIRST_PLACES)
  local fresh = permit.enteredAt > number('places_at', 0)
  local measured = math.max(1, in_flight)
  if fresh and not gentle and number('places_streak', 0) > 0 then
    measured = math.max(1, math.min(measured, math.floor(base * 0.7)))
  end
  if not fresh and measured >= base then
    return
  end
  local risen = math.max(1, math.floor(places()))
  if fresh then
    local known = number('places_accepted') and base
    put('places_confidence', confidence_after(measured, known, 'places_confidence'))
    put('places_at', now)
    add('places_streak', 1)
  end
  put('places', math.min(measured, risen))
  put('places_accepted', 0)
end

local function grow_places()
  if permit.enteredAt <= number('places_at', 0) then
    return
  end
  put('places_streak', 0)
  if permit.ahead + 1 < places() / 2 then
    return -- the limit was not what held it back
  end
  if number('places_accepted') then
    add('places_accepted', 1)
  else
    local known = number('places', ask.placesCeiling or FIRST_PLACES)
    put('places', known + (known < FAST_PLACES and 1 or 0.5))
  end
end

local function parsed()
  was_well(true)
  redis.call('DEL', DOCUMENT)
  local worked = math.max(ask.durationMs - ask.queuedMs, 0)
  local service = number('service_ms', worked)
  service = service + 0.1 * (worked - service)
  local queued = number('queued_ms', 0)
  queued = queued + 0.1 * (ask.queuedMs - queued)
  if ask.queuedMs > 0.1 * service then
    add('refused_queued', 1)
    local too_many = queued > service and permit.enteredAt > number('places_at', 0)
    learn_places(too_many and math.ceil(number('places', FIRST_PLACES) / 2) or permit.ahead + 1, true)
    queued = too_many and 0 or queued
  else
    grow_places()
  end
  put('service_ms', service)
  put('queued_ms', queued)
  return { counted = true }
end

local function refused_by_rate()
  redis.call('ZREM', SENT, permit.id) -- it was not accepted
  add('refused_rate', 1)
  local asked = ask.retryAfterMs
  if permit.enteredAt > number('rate_at', 0) then
    -- Where Retry-After is shorter than the window, it tells when the service's own window began.
    local from = now - WINDOW
    if asked and asked < 0.95 * WINDOW then
      from = from + math.max(0, asked - SECOND)
    end
    local accepted = redis.call('ZCOUNT', SENT, '(' .. tostring(from), '+inf')
    local measured = math.max(1, 0.99 * accepted)
    -- It asks for as long as the first of them takes to leave the window: then it is a window that looks back.
    local looks_back = asked and asked + SECOND >= leaves_window_in(accepted)
    put('looks_back_until', looks_back and now + WINDOW or 0)
    put('rate_confidence', confidence_after(measured, number('rate'), 'rate_confidence'))
    put('rate', measured)
    put('rate_accepted', 0)
    put('rate_at', now)
    local pause = asked or pause_after(number('rate_streak', 0))
    add('rate_streak', 1)
    add('shut_ms_rate', pause)
    put('rate_until', math.max(number('rate_until', 0), now + pause))
    put('due_at', state.rate_until)
  end
  local shut_for = math.max(number('rate_until', 0) - now, 0)
  return { counted = false, retryInMs = math.max(asked or 0, shut_for) + ask.random * SECOND }
end

-- The gate stays open: only this document waits.
local function refused_by_places()
  add('refused_concurrency', 1)
  learn_places(math.max(permit.ahead, redis.call('ZCARD', OPEN)), false)
  local pause = ask.retryAfterMs or pause_after(number('places_streak', 0))
  return { counted = false, retryInMs = pause + ask.random * SECOND }
end

-- How long a promised place waits for its process, milliseconds: a call, an event loop that is busy, and a question.
local PROMISED_MS = 250

-- Tells a process of a place. One that nobody hears any more leaves the line.
local function call(process, in_ms)
  local heard = redis.call('PUBLISH', ask.wakePrefix .. process, in_ms) > 0
  if not heard then
    redis.call('ZREM', LINE, process)
  end
  return heard
end

-- Places by the process that has them: of those in flight for longest, which tell enough where there are many.
local function places_held()
  local held = {}
  for _, id in ipairs(redis.call('ZRANGE', OPEN, 0, 255)) do
    local process = string.match(id, '^(.*)-')
    held[process] = (held[process] or 0) + 1
  end
  return held
end

-- A free place is for a process in line that has two places fewer than this one had, and a quarter fewer; or, where
-- there are more processes than places, has waited for twice as long as its turn should take. That one is called, and
-- stands last from then on. So places stay where they are while shares are even, which saves the way to another
-- process, and move, one at a time, to whoever has too few.
local function patience_of_others()
  if promised() then
    return nil
  end
  local room = math.floor(places())
  local turn_ms = number('service_ms', 1000) * redis.call('ZCARD', LINE) / room
  local in_line = redis.call('ZRANGE', LINE, 0, 7, 'WITHSCORES')
  local alone = #in_line == 2 and in_line[1] == ask.process
  local held = alone and {} or places_held()
  local had = (held[ask.process] or 0) + 1
  for i = 1, #in_line, 2 do
    local process, since = in_line[i], tonumber(in_line[i + 1])
    local fewer = had - (held[process] or 0)
    local its_turn = fewer >= math.max(2, had / 4) or now - since > 2 * turn_ms
    if process ~= ask.process and its_turn and call(process, 0) then
      put('promised_to', process)
      put('promised_until', now + PROMISED_MS)
      redis.call('ZADD', LINE, 'XX', now, process)
      return wait('places', turn_in_line(room))
    end
  end
  return nil
end

-- The place that was given back goes to the next document of the same process: it need not ask for itself.
local function hand_over(ticket)
  return place_of(ticket.id)
    or refusal()
    or patience_of_others()
    or reserve(ticket.id, ticket.credits)
    or take(ticket)
end

-- Tells the first in line that places came free.
local function wake_waiting()
  local free = math.floor(places()) - redis.call('ZCARD', OPEN) - (promised() and 1 or 0)
  if free <= 0 or (state.shut or '') ~= '' then
    return nil
  end
  local limit = rate()
  local next_at = math.max(number('due_at', 0), number('rate_until', 0))
  local own = nil
  for i, process in ipairs(redis.call('ZRANGE', LINE, 0, math.min(free, 2) - 1)) do
    local in_ms = math.max(0, next_at - now) + (limit and (i - 1) * WINDOW / limit or 0)
    if process == ask.process then
      own = in_ms
    else
      call(process, in_ms)
    end
  end
  return own
end

local function learn()
  if ask.kind == 'parsed' then
    return parsed()
  elseif ask.kind == 'rejected' then
    was_well(false)
    return { counted = true }
  elseif ask.kind == 'rate' then
    return refused_by_rate()
  elseif ask.kind == 'concurrency' then
    return refused_by_places()
  elseif ask.kind == 'down' then
    return failed_by_service()
  elseif ask.kind == 'document' then
    return { counted = true }
  elseif ask.kind == 'unsent' then
    redis.call('ZREM', SENT, permit.id)
    return { counted = false }
  elseif ask.kind == 'abandoned' then
    return { counted = false }
  end
  return halted()
end

local answer
if redis.call('ZREM', OPEN, permit.id) == 1 then
  settle(permit.id, ask.credits)
  answer = learn()
else
  answer = { counted = ask.kind == 'document' } -- its lease ran out, or this was told before: no news
end
if ask.next then
  answer.entered = hand_over(ask.next)
end
answer.pollInMs = wake_waiting()
return reply(answer)
