-- Returns the state of the gate; changes nothing.

local shut = state.shut or ''

local function shut_ms(cause)
  local still = shut == cause and now - number('shut_at', now) or 0
  return number('shut_ms_' .. cause, 0) + still
end

local phase = s.phase
local found = limit()
local rate = pace(s)

return cjson.encode({
  rate = rate and rate * WINDOW,
  rateLearned = s.rate ~= nil and not (s.rate_cap ~= nil and rate >= s.rate_cap),
  places = room_of(s),
  placesLearned = not (s.places_cap ~= nil and s.places >= s.places_cap),
  inFlight = redis.call('ZCOUNT', OPEN, now - ask.leaseMs, '+inf'),
  processes = redis.call('ZCARD', LINE),
  nextInMs = found.ms or 0,
  askedInMs = phase == 'paused' and s.told and math.max(s.closed_at + s.told - now, 0) or nil,
  paused = (state.paused or '') ~= '',
  shut = shut ~= '' and shut or phase == 'outage' and 'outage' or nil,
  shutMessage = shut ~= '' and state.shut_message or state.outage_message,
  probeInMs = shut ~= '' and math.max(number('shut_until', 0) - now, 0) or math.max(s.probe_at - now, 0),
  serviceMs = service_ms(),
  admitted = number('admitted', 0),
  refused = {
    rate = number('refused_rate', 0),
    concurrency = number('refused_concurrency', 0),
    unknown = number('refused_unknown', 0),
    queued = number('refused_queued', 0),
  },
  shutMs = {
    rate = number('shut_ms_rate', 0) + (phase == 'paused' and now - s.closed_at or 0),
    outage = number('shut_ms_outage', 0) + (phase == 'outage' and now - s.closed_at or 0),
    credits = shut_ms('credits'),
    key = shut_ms('key'),
    permission = shut_ms('permission'),
  },
})
