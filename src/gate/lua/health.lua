-- Whether the service is well, and whose a failure is: the part of `leave` that shuts the gate and opens it again.

local permit = ask.permit

-- A document is blamed for an absent service once in so long: no outage of some hours uses its attempts up, and one that
-- takes the service down each time ends all the same.
local BLAME_EVERY = 60 * WINDOW

local function open_gate()
  add('shut_ms_' .. state.shut, now - number('shut_at', now))
  put('shut', '')
  put('fails', 0)
  put('probes', 0)
  redis.call('DEL', PROBED)
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

-- The service did its work. Only a request that was sent after the gate was shut tells that it is well again.
local function was_well(clears_halt)
  put('good_at', math.max(number('good_at', 0), permit.enteredAt))
  local shut = state.shut or ''
  if shut == '' then
    if number('fails', 0) > 0 then
      put('fails', 0)
    end
  elseif permit.enteredAt >= number('shut_at', 0) and (clears_halt or shut == 'outage') then
    open_gate()
  end
  if permit.enteredAt > number('rate_at', 0) then
    put('rate_streak', 0)
    if permit.paced then
      add('rate_accepted', 1)
    end
  end
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
  return { suspect = suspect, probes = probes, again = again, blamed_at = blamed_at }
end

-- Whether the probes send hardly anything but what fails: from the third probe of each document on where there are five
-- of them or fewer, and the later the more there are, so that an outage that many wait out uses no attempt of theirs.
-- Known suspects are none of them: their failures count as it is.
local function is_all_there_is(failure)
  local crowd = math.max(1, redis.call('SCARD', PROBED) / TRIP)
  return failure.probes >= 3 * crowd * crowd
end

-- Whether the failure of a document that is no suspect counts. Where nobody was there to take the request (`absent`),
-- the document did not do it: only its first failure counts, since nobody knows of an outage by then.
local function is_to_blame(failure)
  local is_open = (state.shut or '') == ''
  local all_there_is = is_all_there_is(failure)
  if not ask.absent then
    return is_open or all_there_is
  end
  if is_open then
    return not failure.again
  end
  local blames = all_there_is and now - failure.blamed_at >= BLAME_EVERY
  if blames then
    redis.call('HSET', DOCUMENT, 'blamed_at', now)
  end
  return blames
end

-- While the gate is shut, a failure is the outage's and not the document's. It counts all the same for a suspect, and,
-- where hardly anybody else is left to send, from a document's third failure as a probe on. What a suspect does says
-- nothing of the service: it neither shuts the gate nor makes the next probe wait for longer.
local function failed_by_service()
  local is_probe = state.shut == 'outage' and permit.enteredAt >= number('shut_at', 0)
  local failure = remember_failure(is_probe)
  if failure.suspect then
    if is_probe then
      put('shut_until', now + SECOND)
    end
    return { counted = true }
  end
  add('fails', 1)
  local shuts = (state.shut or '') == '' and number('fails', 0) >= TRIP
  if is_probe then
    add('probes', 1)
  end
  if shuts or is_probe then
    local pause = pause_after(number('probes', 0)) * (0.8 + 0.4 * ask.random)
    local until_at = now + math.max(pause, ask.retryAfterMs or 0)
    if shuts then
      shut_gate('outage', until_at, ask.message)
    else
      put('shut_until', math.max(number('shut_until', 0), until_at))
    end
  end
  if is_to_blame(failure) then
    return { counted = true }
  end
  local pause = (state.shut or '') == '' and pause_after(number('fails', 0)) or number('shut_until', 0) - now
  return { counted = false, retryInMs = math.max(pause, ask.retryAfterMs or 0) + ask.random * SECOND }
end

local function halted()
  if state.shut ~= ask.kind or permit.enteredAt >= number('shut_at', 0) then
    if state.shut == ask.kind then
      put('shut_until', now + WINDOW)
    else
      shut_gate(ask.kind, now + WINDOW, ask.message)
    end
  end
  return { counted = false, retryInMs = number('shut_until', now) - now + ask.random * SECOND }
end
