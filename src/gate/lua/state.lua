-- What the gate has learned and does now; changes nothing.

local shut = state.shut or ''

local function shut_ms(cause)
  local still = shut == cause and now - number('shut_at', now) or 0
  return number('shut_ms_' .. cause, 0) + still
end

local credits = {}
local flat = redis.call('HGETALL', BUDGET)
for i = 1, #flat, 2 do
  local scope, field = string.match(flat[i], '^(.*):(%a+)$')
  credits[#credits + 1] = { scope = scope, field = field, credits = tonumber(flat[i + 1]) }
end

local learned_rate = number('rate') and not (ask.rateCeiling and rate() >= ask.rateCeiling)
local learned_places = not (ask.placesCeiling and places() >= ask.placesCeiling)

return cjson.encode({
  rate = rate(),
  rateLearned = learned_rate and true or false,
  places = math.floor(places()),
  placesLearned = learned_places,
  inFlight = redis.call('ZCOUNT', OPEN, now - ask.leaseMs, '+inf'),
  processes = redis.call('ZCARD', LINE),
  nextInMs = math.max(number('due_at', 0), number('rate_until', 0), now) - now,
  paused = (state.paused or '') ~= '',
  shut = shut ~= '' and shut or nil,
  shutMessage = state.shut_message,
  probeInMs = math.max(number('shut_until', 0) - now, 0),
  serviceMs = number('service_ms'),
  admitted = number('admitted', 0),
  refused = {
    rate = number('refused_rate', 0),
    concurrency = number('refused_concurrency', 0),
    queued = number('refused_queued', 0),
  },
  shutMs = {
    rate = number('shut_ms_rate', 0),
    outage = shut_ms('outage'),
    credits = shut_ms('credits'),
    key = shut_ms('key'),
    permission = shut_ms('permission'),
  },
  credits = credits,
})
