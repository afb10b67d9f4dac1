-- Circuit breaker. Whether the service is well, and whose a failure is: this part of `release` shuts and opens it.

local permit = ask.permit
permit.at = permit.sentAt

-- A document is blamed for an absent service once in so long: no outage of some hours uses its attempts up, and one that
-- takes the service down each time ends all the same.
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

-- The service did its work. Only a request that was sent after the gate was shut shows that the account works again.
local function was_well(clears_halt)
  put('good_at', math.max(number('good_at', 0), permit.at))
  local shut = state.shut or ''
  if shut ~= '' and permit.at >= number('shut_at', 0) and clears_halt then
    add('shut_ms_' .. shut, now - number('shut_at', now))
    put('shut', '')
  end
end

-- Whether no other document has failed for two windows, nor been a probe of this outage: then the attempts of this one
-- are all that is sent, and each counts.
local function fails_alone()
  if state.failed_by ~= DOCUMENT then
    put('other_failed_at', number('failed_by_at', 0))
    put('failed_by', DOCUMENT)
  end
  put('failed_by_at', now)
  return redis.call('SCARD', PROBED) <= 1 and now - number('other_failed_at', 0) > 2 * WINDOW
end

-- What is known of the document that failed. It is a suspect, one that may take the service down itself, from its
-- second failure on if others came through in between.
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

-- Whether the probes send hardly anything but what fails: from the third probe of each document on where there are five
-- of them or fewer, and the later the more there are, so that an outage that many wait out uses no attempt of theirs.
-- Known suspects are none of them: their failures count as it is.
local function is_all_there_is(failure)
  local crowd = math.max(1, redis.call('SCARD', PROBED) / TRIP)
  return failure.probes >= 3 * crowd * crowd
end

-- Whether the failure of a document that is no suspect counts. Where the service was not there to take the request
-- (`absent`), the document did not do it: it counts where nothing else was in flight that could show an outage, once, and in
-- an outage that hardly any other document is left to probe.
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

-- In an outage a failure is the service's and not the document's. It counts all the same for a suspect, and, where hardly
-- any other document is left to send, from a document's third failure as a probe on, or from the first where it is alone.
-- What a suspect does says nothing of the service: it neither begins an outage nor makes the next probe wait for longer.
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

-- A time-out. While others were in flight it is a sign of overload; a document that times out again and again is not
-- spared for ever: its first two time-outs are free.
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
