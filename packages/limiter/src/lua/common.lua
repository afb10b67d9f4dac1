-- Shared by all scripts: one hash of counters and of the law's record, the leases of requests in flight, and the line
-- of waiting processes. Times are milliseconds of Redis's own clock, so that all machines agree; a simulation sets
-- `now`.

local STATE, OPEN, LINE, PROBED, DOCUMENT = unpack(KEYS)
local ask = cjson.decode(ARGV[1])

local WINDOW = ask.windowMs -- of a configured rate, and unit of several waits
local SECOND = WINDOW / 60
local TRIP = 5 -- consecutive failures of the service that make an outage

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

-- The law's record, in a field per version: processes of two releases may share a gate during a rollout. A new version
-- learns the state again within seconds.
local LAW = 'law:' .. LAW_VERSION
local s = state[LAW] and cmsgpack.unpack(state[LAW])
if not s then
  s = fresh_law(now)
  if ask.placesCeiling then
    s.places = ask.placesCeiling
    s.held = ask.placesCeiling
  end
  if ask.rateCeiling then
    s.window = WINDOW
  end
end
s.rate_cap = ask.rateCeiling and ask.rateCeiling / WINDOW
s.places_cap = ask.placesCeiling

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

local function reply(answer)
  local flat = { LAW, cmsgpack.pack(s) }
  for field, value in pairs(changed) do
    flat[#flat + 1] = field
    flat[#flat + 1] = value
  end
  redis.call('HSET', STATE, unpack(flat))
  return cjson.encode(answer)
end

-- Mean service time per document; nil before the first.
local function service_ms()
  return s.done > 0 and math.exp(s.latency) or nil
end

-- Cached count of leases; each added or removed lease resets it to nil.
local leases = nil
local function in_flight()
  leases = leases or redis.call('ZCARD', OPEN)
  return leases
end

-- Records the effect of a step of the law on the phase: the time that the gate was closed, and whether it opened.
local opened = false
local function follow_phase(before, since)
  opened = opened or before ~= 'open' and s.phase == 'open'
  if before == 'paused' and s.phase ~= 'paused' then
    add('shut_ms_rate', now - since)
  elseif before == 'outage' and s.phase ~= 'outage' then
    add('shut_ms_outage', now - since)
    redis.call('DEL', PROBED)
  end
end

-- Reason and duration of the law's wait. No duration: a request must end first. No reason: the request may go.
local function limit()
  local phase, since = s.phase, s.closed_at
  local found = law_wait(s, now, in_flight())
  follow_phase(phase, since)
  if found.ms ~= nil and found.ms <= 0 then
    return {}
  end
  return found
end
