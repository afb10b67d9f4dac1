-- Circuit breaker: judges the health of the service and the cause of a failure. `release` opens and closes it here.

local permit = ask.permit
permit.at = permit.sentAt

-- Interval between two failures of a document that count while the service is absent. An outage of some hours therefore
-- does not use up its attempts, and a document that crashes the service each time still ends.
local BLAME_EVERY = 60 * WINDOW

local function pause_after(failures)
  return math.min(2 ^ math.min(failures, 5), 30) * SECOND
end

local function shut_gate(cause, until_at, message)
  if (state.shut or '') ~= '' then
    add('shut_ms_' .. state.shut, now - number('shut_at', now))
  end
  put('shut', cause)
  put('shut_at', now)
  put('shut_until', until_at)
  put('shut_message', message or '')
end

-- The service did its work. Only a request sent after the gate closed proves that the account works again.
local function was_well(clears_halt)
  put('good_at', math.max(number('good_at', 0), permit.at))
  local shut = state.shut or ''
  if shut ~= '' and permit.at >= number('shut_at', 0) and clears_halt then
    add('shut_ms_' .. shut, now - number('shut_at', now))
    put('shut', '')
  end
end

-- True if no other document failed within two windows or was a probe of this outage. Then this document's attempts are
-- the only traffic, and each counts.
local function fails_alone()
  if state.failed_by ~= DOCUMENT then
    put('other_failed_at', number('failed_by_at', 0))
    put('failed_by', DOCUMENT)
  end
  put('failed_by_at', now)
  return redis.call('SCARD', PROBED) <= 1 and now - number('other_failed_at', 0) > 2 * WINDOW
end

-- Updates the state of a failed document. From its second failure on it is a suspect, which may crash the service
-- itself, if other requests succeeded in between.
local function remember_failure(is_probe)
  local known = redis.call('HMGET', DOCUMENT, 'failed_at', 'probes', 'suspect', 'blamed_at')
  local failed_at, probes, suspect = tonumber(known[1] or nil), tonumber(known[2] or nil) or 0, known[3] == '1'
  local again = failed_at ~= nil and number('good_at', 0) <= failed_at
  if failed_at and not again then
    suspect, probes = true, 0
  end
  if is_probe then
    probes = probes + 1
    redis.call(suspect and 'SREM' or 'SADD', PROBED, DOCUMENT)
  end
  local blamed_at = again and tonumber(known[4] or nil) or now
  local flag = suspect and '1' or '0'
  redis.call('HSET', DOCUMENT, 'failed_at', now, 'probes', probes, 'suspect', flag, 'blamed_at', blamed_at)
  redis.call('PEXPIRE', DOCUMENT, ask.rememberMs)
  return { suspect = suspect, probes = probes, again = again, blamed_at = blamed_at, alone = fails_alone() }
end

-- True if hardly any document but failing ones is left to probe. With five probed documents or fewer that starts at the
-- third probe of each; with more documents it starts later, so that a long outage uses none of their attempts. Known
-- suspects are excluded: their failures count anyway.
local function is_all_there_is(failure)
  local crowd = math.max(1, redis.call('SCARD', PROBED) / TRIP)
  return failure.probes >= 3 * crowd * crowd
end

-- True if the failure counts for a document that is not a suspect. A document cannot cause the failure of an absent
-- service (`absent`). Its failure then counts once if no other request in flight could reveal an outage. In an outage
-- it counts if hardly any other document is left to probe.
local function is_to_blame(failure, was_open, is_open)
  local all_there_is = is_all_there_is(failure)
  if not ask.absent then
    return is_open or all_there_is or failure.alone
  end
  if was_open then
    return permit.ahead == 0 and not failure.again
  end
  local blames = all_there_is and now - failure.blamed_at >= BLAME_EVERY
  if blames then
    redis.call('HSET', DOCUMENT, 'blamed_at', now)
  end
  return blames
end

-- In an outage the service is to blame, not the document. The failure still counts for a suspect. If hardly any other
-- document is left, it counts from a document's third failed probe on, or from the first if the document is alone. A
-- suspect gives no evidence about the service: it neither starts an outage nor delays the next probe.
local function failed_by_service()
  local is_probe = s.phase == 'outage' and permit.at == s.probe
  local failure = remember_failure(is_probe)
  if failure.suspect then
    law_unsent(s, permit)
    if is_probe then
      s.probe_at = now + SECOND
    end
    return { counted = true }
  end
  local was_open = s.phase ~= 'outage'
  law_down(s, permit, ask, now, ask.absent and 3 or TRIP)
  if s.phase == 'outage' then
    put('outage_message', ask.message or '')
  end
  local is_open = s.phase ~= 'outage'
  if is_to_blame(failure, was_open, is_open) then
    return { counted = true }
  end
  local pause = is_open and pause_after(s.fails) or math.max(SECOND, s.probe_at - now)
  return { counted = false, retryInMs = math.max(pause, ask.retryAfterMs or 0) + ask.random * SECOND }
end

-- A timeout. With other requests in flight it signals overload. A document's first two timeouts are free, later ones
-- count.
local function timed_out()
  law_overloaded(s, permit, now, in_flight())
  local timeouts = redis.call('HINCRBY', DOCUMENT, 'timeouts', 1)
  redis.call('PEXPIRE', DOCUMENT, ask.rememberMs)
  local alone = permit.ahead == 0 and in_flight() == 0
  local counted = alone or timeouts > 2
  return { counted = counted, retryInMs = not counted and math.max(SECOND, ask.retryAfterMs or 0) or nil }
end

local function halted()
  law_answered(s, permit, now, in_flight())
  if state.shut ~= ask.kind or permit.at >= number('shut_at', 0) then
    if state.shut == ask.kind then
      put('shut_until', now + WINDOW)
    else
      shut_gate(ask.kind, now + WINDOW, ask.message)
    end
  end
  return { counted = false, retryInMs = number('shut_until', now) - now + ask.random * SECOND }
end
