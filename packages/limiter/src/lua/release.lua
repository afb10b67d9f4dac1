-- Releases a permit and reports the result of the request to the law. `ask.kind` names it
-- (packages/limiter/src/feedback.ts).

local function accepted()
  was_well(true)
  redis.call('DEL', DOCUMENT)
  law_accepted(s, permit, ask, now, in_flight())
  if ask.queuedMs > 0.15 * ask.durationMs then
    add('refused_queued', 1)
  end
  return { counted = true }
end

-- Its own document waits for its Retry-After; without one, as long as the gate does.
local function refused()
  add('refused_' .. (ask.limit or 'unknown'), 1)
  law_refused(s, permit, ask, now, in_flight())
  local pause = s.phase == 'paused' and math.max(s.probe_at - now, 0) or 0
  local own = ask.retryAfterMs or math.max(pause, math.min(SECOND, service_ms() or SECOND))
  return { counted = false, retryInMs = own + ask.random * 0.05 * SECOND }
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
  elseif ask.kind == 'unsent' or ask.kind == 'abandoned' then
    law_unsent(s, permit)
    return { counted = false }
  end
  return halted()
end

local answer
if redis.call('ZREM', OPEN, permit.id) == 1 then
  leases = nil
  local phase, since = s.phase, s.closed_at
  answer = learn()
  follow_phase(phase, since)
else
  answer = { counted = ask.kind == 'failed' } -- its lease expired, or this is a repeated release: idempotent
end
if ask.next then
  answer.next = place_of(ask.next.id) or refusal() or give_to_another() or take(ask.next)
end
if opened then
  answer.pollInMs = call_all()
elseif (state.shut or '') == '' then
  answer.pollInMs = call_first()
end
return reply(answer)
