-- What all scripts share: one hash of counters and of the law's state, the leases in flight, and the line of waiting
-- processes. Times are milliseconds of Redis's own clock, so that no two machines disagree about "now"; a test may give `now` itself.

local STATE, OPEN, LINE, PROBED, DOCUMENT = unpack(KEYS)
local ask = cjson.decode(ARGV[1])

local WINDOW = ask.windowMs
local SECOND = WINDOW / 60 -- every pause scales with the window: one second where it is a minute
local TRIP = 5 -- failures of the service in a row that count as an outage
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

-- The law's state. One of another version, or of an older release that kept its measurements in fields, is left aside:
-- what it learned is learned again within seconds.
local s = state.law and cmsgpack.unpack(state.law)
if not s or s.version ~= LAW_VERSION then
  s = fresh_law(now)
  if ask.placesCeiling then
    s.places = ask.placesCeiling
    s.full = true
    s.held = ask.placesCeiling
  end
end
s.scale = SECOND / 1000
s.rate_cap = ask.rateCeiling and ask.rateCeiling / WINDOW
s.cap_window = ask.rateCeiling and WINDOW
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

local function save()
  local flat = { 'law', cmsgpack.pack(s) }
  for field, value in pairs(changed) do
    flat[#flat + 1] = field
    flat[#flat + 1] = value
  end
  redis.call('HSET', STATE, unpack(flat))
end

-- Runs a step of the law, and counts how long the gate was shut for the rate limit and in outages.
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

local function phase_since()
  return s.phase == 'outage' and s.outage_at or s.closed_at
end

-- Counted once; what adds a lease or removes one makes it nil.
local leases = nil
local function in_flight()
  leases = leases or redis.call('ZCARD', OPEN)
  return leases
end

-- What keeps a request back for the limits or an outage: its reason and how long; no time where a request must end
-- first; no reason where it may go.
local function limit()
  local phase, since = s.phase, phase_since()
  local found = law_wait(s, now, in_flight())
  follow_phase(phase, since)
  if found.ms ~= nil and found.ms <= 0 then
    return {}
  end
  return found
end

local function pause_after(failures)
  return math.min(2 ^ math.min(failures, 10) * SECOND, LONGEST_PAUSE)
end

local function reply(answer)
  save()
  return cjson.encode(answer)
end
