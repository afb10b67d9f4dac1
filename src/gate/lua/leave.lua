-- Releases a place and reports to the law how the request ended. `ask.kind` says how (src/gate/feedback.ts).

local function accepted()
  was_well(true)
  redis.call('DEL', DOCUMENT)
  law_accepted(s, permit, ask, now, in_flight())
  if ask.queuedMs > 0.15 * ask.durationMs then
    add('refused_queued', 1)
  end
  return { counted = true }
end

-- Its own document waits for its Retry-After; without that, as long as the gate does.
local function refused()
  add('refused_' .. (ask.limit or 'unknown'), 1)
  law_refused(s, permit, ask, now, in_flight())
  local pause = s.phase == 'paused' and math.max(s.probe_at - now, 0) or 0
  local own = ask.retryAfterMs or math.max(pause, math.min(SECOND, s.service_ms or SECOND))
  return { counted = false, retryInMs = own + ask.random * 0.05 * SECOND }
end

-- How long a promised place waits for its process, milliseconds: a call, an event loop that is busy, and a question.
local PROMISED_MS = 250

-- Places by the process that has them: of those in flight for longest, which show enough where there are many.
local function places_held()
  local held = {}
  for _, id in ipairs(redis.call('ZRANGE', OPEN, 0, 255)) do
    local process = string.match(id, '^(.*)-')
    held[process] = (held[process] or 0) + 1
  end
  return held
end

-- Fair-share hand-off. The freed place goes to a process in line that has two places fewer than this one had, and a
-- quarter fewer; or, where there are more processes than places, has waited for twice as long as its turn should take.
-- That process is called, and stands last from then on. While shares are even, places stay where they are, which saves
-- the way to another process. Otherwise they move, one at a time, to processes below their share.
local function patience_of_others()
  if promised() then
    return nil
  end
  local room = room_of(s)
  local turn_ms = (s.service_ms or 1000) * redis.call('ZCARD', LINE) / room
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

-- The released place goes to the next document of the same process: it need not ask for itself.
local function hand_over(ticket)
  return place_of(ticket.id)
    or refusal(ticket.unread)
    or patience_of_others()
    or take(ticket)
end

-- Tells the first in line that places came free.
local function wake_waiting()
  if (state.shut or '') ~= '' then
    return nil
  end
  local free = room_of(s) - in_flight() - (promised() and 1 or 0)
  local found = limit()
  if free <= 0 or found.reason ~= nil and found.ms == nil then
    return nil
  end
  local interval = s.phase == 'open' and pace(s) and 1 / pace(s) or 0
  return call_in_turn(math.min(free, 2) - 1, found.ms or 0, interval)
end

local function learn()
  if ask.kind == 'accepted' then
    return accepted()
  elseif ask.kind == 'answered' then
    was_well(false)
    law_answered(s, permit, now, in_flight())
    return { counted = true }
  elseif ask.kind == 'refused' then
    return refused()
  elseif ask.kind == 'timed_out' then
    return timed_out()
  elseif ask.kind == 'down' then
    return failed_by_service()
  elseif ask.kind == 'failed' then
    law_unsent(s, permit)
    return { counted = true }
  elseif ask.kind == 'unsent' then
    law_withdrawn(s, permit)
    return { counted = false }
  elseif ask.kind == 'abandoned' then
    law_unsent(s, permit)
    return { counted = false }
  end
  return halted()
end

local answer
if redis.call('ZREM', OPEN, permit.id) == 1 then
  leases = nil
  local phase, since = s.phase, phase_since()
  answer = learn()
  follow_phase(phase, since)
else
  answer = { counted = ask.kind == 'failed' } -- its lease expired, or this is a repeated release: idempotent
end
if ask.next then
  answer.entered = hand_over(ask.next)
end
answer.pollInMs = opened and wake_all() or wake_waiting()
return reply(answer)
