-- How a document gets a place: by `enter`, or by `leave`, which hands the one that it gives back to the next document
-- of the same process.

local function wait(reason, ms)
  return { kind = 'wait', reason = reason, waitMs = math.max(1, ms) }
end

-- Takes this process's place in the line, or keeps the one it has; answers how many stand before it.
local function stand_in_line()
  redis.call('ZREMRANGEBYSCORE', LINE, '-inf', now - 600000)
  redis.call('ZADD', LINE, 'NX', now, ask.process)
  return redis.call('ZRANK', LINE, ask.process)
end

-- A free place that another process was called for is not free: that process is still on its way, and whoever gave the
-- place back would always be there first.
local function promised()
  return number('promised_until', 0) > now
end

local function room_for(process)
  local kept = promised() and state.promised_to ~= process
  return math.floor(places()) - (kept and 1 or 0)
end

-- A lease that nobody gave back. What it had reserved may have been charged.
local function drop(id)
  redis.call('ZREM', OPEN, id)
  settle(id, nil)
end

-- Places of processes that died: nobody renews their sign of life. Looked for where places are short, once a second.
local function drop_leases_of_the_dead()
  if not ask.alivePrefix or now - number('swept_at', 0) < 1000 then
    return
  end
  put('swept_at', now)
  local alive = {}
  for _, id in ipairs(redis.call('ZRANGE', OPEN, 0, -1)) do
    local process = string.match(id, '^(.*)-')
    if alive[process] == nil then
      alive[process] = redis.call('EXISTS', ask.alivePrefix .. process) == 1
    end
    if not alive[process] then
      drop(id)
    end
  end
end

-- Until fewer than `limit` of the accepted requests lie in the last window; 0 where that is so now.
local function leaves_window_in(limit)
  local first = '(' .. tostring(now - WINDOW)
  local over = redis.call('ZCOUNT', SENT, first, '+inf') - limit
  if over < 0 then
    return 0
  end
  local leaving = redis.call('ZRANGEBYSCORE', SENT, first, '+inf', 'WITHSCORES', 'LIMIT', over, 1)
  return leaving[2] and tonumber(leaving[2]) + WINDOW - now or 0
end

-- How long whoever stands in line is likely to wait for one of the places.
local function turn_in_line(room)
  return (stand_in_line() + 1) * number('service_ms', 1000) / math.max(room, 1)
end

-- Requests a window while no limit is known: twice as many as there are places for, since those grow. All that is in
-- flight when the first limit is met may be refused. Sent out in bunches, as the answers come back, it would be half of
-- all; one after another, it is what goes out until the first refusal is heard. Two a second may go out
-- however slow the service is.
local function starting_pace()
  local service = number('service_ms')
  if ask.placesCeiling or number('places_accepted') or not service then
    return nil
  end
  return math.max(2 * places() / service, 2 / SECOND) * WINDOW
end

-- When the pace lets the next request through (GCRA): requests are spread over the window, and a tenth of it can be
-- caught up after a stall; while no limit is known, a twentieth of a second, which is what an event loop is late by.
local function due(limit)
  local starting = not limit and starting_pace()
  local pace = limit or starting
  local interval = pace and WINDOW / pace or 0
  local catch_up = starting and SECOND / 20 or WINDOW / 10
  return math.max(number('due_at', 0), now - math.max(catch_up - interval, 0)), interval
end

-- A service that looks back over a window refuses until what it accepted in a bunch is out of it, however evenly the
-- next requests come. So for one window after its refusal, what was accepted in the last one counts besides the pace.
local function window_full_for(limit)
  if number('looks_back_until', 0) <= now then
    return 0
  end
  return leaves_window_in(math.max(1, math.floor(limit)))
end

-- What keeps a document from a place, without looking at the budgets; nil where nothing does.
local function refusal()
  if (state.paused or '') ~= '' then
    return wait('paused', 1000)
  end
  local shut = state.shut or ''
  local shut_for = number('shut_until', 0) - now
  if shut == 'outage' and shut_for > 0 then
    return wait('outage', shut_for)
  elseif shut ~= '' and shut_for > 0 then
    return { kind = 'halted', cause = shut, message = state.shut_message, retryInMs = shut_for }
  end
  local refused_for = number('rate_until', 0) - now
  if refused_for > 0 then
    return wait('refused', refused_for + stand_in_line())
  end
  local room = room_for(ask.process)
  if redis.call('ZCARD', OPEN) >= room then
    drop_leases_of_the_dead()
  end
  if redis.call('ZCARD', OPEN) >= room then
    local oldest = tonumber(redis.call('ZRANGE', OPEN, 0, 0, 'WITHSCORES')[2] or now)
    return wait('places', math.min(turn_in_line(room), oldest + ask.leaseMs - now))
  end
  local limit = rate()
  local due_at, interval = due(limit)
  local full_for = limit and window_full_for(limit) or 0
  if full_for > 0 then
    return wait('rate', full_for + stand_in_line() * interval)
  end
  if due_at > now then
    return wait(limit and 'rate' or 'start', due_at - now + stand_in_line() * interval)
  end
  return nil
end

-- Reserves what the request may cost, in every budget; answers what keeps it from that.
local function reserve(id, credits)
  for _, budget in ipairs(ask.budgets) do
    local spent = tonumber(redis.call('HGET', BUDGET, budget.scope .. ':spent') or 0)
    local held = tonumber(redis.call('HGET', BUDGET, budget.scope .. ':held') or 0)
    if budget.limit and spent + credits > budget.limit then
      return { kind = 'budget', scope = budget.scope, limit = budget.limit, spent = spent }
    elseif budget.limit and spent + held + credits > budget.limit then
      return wait('budget', SECOND) -- what is in flight may turn out cheaper
    end
  end
  if credits > 0 and #ask.budgets > 0 then
    local scopes = {}
    for i, budget in ipairs(ask.budgets) do
      scopes[i] = budget.scope
      redis.call('HINCRBYFLOAT', BUDGET, budget.scope .. ':held', credits)
    end
    redis.call('HSET', HELD, id, cjson.encode({ credits = credits, scopes = scopes }))
  end
  return nil
end

-- Takes the place. `more`: the process has further documents that wait, so that it stays in line, as the last one.
local function take(ticket)
  local limit = rate()
  local due_at, interval = due(limit)
  local ahead = redis.call('ZCARD', OPEN)
  local room = room_for(ask.process)
  if state.promised_to == ask.process then
    put('promised_until', 0)
  end
  local shut = state.shut or ''
  -- Half-open: whoever passes a shut gate is its probe, and shuts it again behind itself.
  if shut == 'outage' then
    put('shut_until', now + pause_after(number('probes', 0)))
  elseif shut ~= '' then
    put('shut_until', now + WINDOW)
  end
  if interval > 0 then
    put('due_at', due_at + interval)
  end
  redis.call('ZADD', SENT, now, ticket.id)
  redis.call('ZADD', OPEN, now, ticket.id)
  redis.call('ZREM', LINE, ask.process)
  add('admitted', 1)
  local paced = limit ~= nil and due_at > now - WINDOW / 20
  local admitted = { kind = 'admitted', enteredAt = now, ahead = ahead, paced = paced }
  if ticket.more and ahead + 1 >= room then
    admitted.fullForMs = turn_in_line(room)
  end
  return admitted
end

-- The place that it has already: it asks again, because the first answer was lost on its way.
local function place_of(id)
  local entered_at = tonumber(redis.call('ZSCORE', OPEN, id) or nil)
  return entered_at and { kind = 'admitted', enteredAt = entered_at, ahead = redis.call('ZCARD', OPEN) - 1, paced = false }
end
