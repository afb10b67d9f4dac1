-- What enter.lua and leave.lua share: one hash of what was learned, the requests of the last window, the leases in
-- flight, the line of waiting processes, and the credits. Times are milliseconds of Redis's own clock, so that no two
-- machines disagree about "now"; a test may give `now` itself.

local STATE, SENT, OPEN, LINE, BUDGET, HELD, PROBED, DOCUMENT = unpack(KEYS)
local ask = cjson.decode(ARGV[1])

local WINDOW = ask.windowMs
local SECOND = WINDOW / 60 -- every pause scales with the window: one second where it is a minute
local FIRST_PLACES = 4 -- in flight before anything is known; doubles once per service time,
local FAST_PLACES = 16 -- and from here on grows by half: what is in flight at the first refusal may all be refused
local LONGEST_CONFIDENCE = 3
local TRIP = 5 -- failures of the service in a row that shut the gate
local LONGEST_PAUSE = 30 * SECOND

local now = ask.now
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 100) / 10
end

local state, changed = {}, {}
do
  local flat = redis.call('HGETALL', STATE)
  for i = 1, #flat, 2 do
    state[flat[i]] = flat[i + 1]
  end
end

local function number(field, default)
  return tonumber(state[field]) or default
end

local function put(field, value)
  state[field] = tostring(value)
  changed[field] = state[field]
end

local function add(field, amount)
  put(field, number(field, 0) + amount)
end

local function save()
  local flat = {}
  for field, value in pairs(changed) do
    flat[#flat + 1] = field
    flat[#flat + 1] = value
  end
  if #flat > 0 then
    redis.call('HSET', STATE, unpack(flat))
  end
end

-- The ceiling between two refusals: flat beside the measured limit, then rising ever faster. Its clock is accepted
-- requests, not seconds, so that probing costs a fixed share of them; measurements that agree make it slower. One that
-- nothing bears out yet is left soon: where others had used up the window it is far too low, and as its requests are few
-- it would stand for an hour.
local function level(measured, accepted, confidence, slowness)
  local shortest = confidence > 1 and 50 * confidence or 3 * slowness
  local horizon = math.max(confidence * slowness * measured, shortest)
  return measured * (1 + (accepted / horizon) ^ 3)
end

local function at_most(told, learned)
  return told and math.min(told, learned) or learned
end

-- Requests per window; nil while nobody told or refused.
local function rate()
  local measured = number('rate')
  if not measured then
    return ask.rateCeiling
  end
  return at_most(ask.rateCeiling, level(measured, number('rate_accepted', 0), number('rate_confidence', 1), 1))
end

-- Requests in flight. `places_accepted` is missing until the first sign of a limit (slow start).
local function places()
  local measured = number('places', ask.placesCeiling or FIRST_PLACES)
  local accepted = number('places_accepted')
  local risen = accepted and level(measured, accepted, number('places_confidence', 1), 5) or measured
  return at_most(ask.placesCeiling, risen)
end

local function confidence_after(measured, before, field)
  local agrees = before and math.abs(measured - before) <= math.max(1, 0.2 * before)
  return agrees and math.min(LONGEST_CONFIDENCE, number(field, 1) + 1) or 1
end

local function pause_after(failures)
  return math.min(2 ^ math.min(failures, 10) * SECOND, LONGEST_PAUSE)
end

-- Ends a reservation. `actual` is nil when nobody knows what was charged: then all that was reserved counts as spent.
local function settle(id, actual)
  local raw = redis.call('HGET', HELD, id)
  if not raw then
    return
  end
  redis.call('HDEL', HELD, id)
  local held = cjson.decode(raw)
  for _, scope in ipairs(held.scopes) do
    redis.call('HINCRBYFLOAT', BUDGET, scope .. ':held', -held.credits)
    redis.call('HINCRBYFLOAT', BUDGET, scope .. ':spent', actual or held.credits)
  end
end

local function reply(answer)
  save()
  return cjson.encode(answer)
end
