-- A process declares which permits it holds. Redis may have lost them, or have come back as it was when it still had
-- permits that were released since. Afterwards the permits of this process are exactly those that it declares, each
-- with its reservation, and no budget has less spent than this process, or the records of the stores, know of.

local known = {}
for _, id in ipairs(ask.known) do
  known[id] = true
end

local function is_released(id)
  local process, number_of = string.match(id, '^(.*)-(%d+)$')
  return process == ask.process and tonumber(number_of) <= ask.upTo and not known[id]
end

-- Ends a reservation without spending: the release of its permit reported what its request cost.
local function release_reservation(id)
  local held = cjson.decode(redis.call('HGET', HELD, id))
  redis.call('HDEL', HELD, id)
  for _, scope in ipairs(held.scopes) do
    redis.call('HINCRBYFLOAT', BUDGET, scope .. ':held', -held.credits)
  end
end

for _, id in ipairs(redis.call('ZRANGE', OPEN, 0, -1)) do
  if is_released(id) then
    redis.call('ZREM', OPEN, id)
  end
end
for _, id in ipairs(redis.call('HKEYS', HELD)) do
  if is_released(id) then
    release_reservation(id)
  end
end

for _, permit in ipairs(ask.held) do
  redis.call('ZADD', OPEN, 'NX', permit.enteredAt, permit.id)
  if permit.credits > 0 and #permit.scopes > 0 and redis.call('HEXISTS', HELD, permit.id) == 0 then
    for _, scope in ipairs(permit.scopes) do
      redis.call('HINCRBYFLOAT', BUDGET, scope .. ':held', permit.credits)
    end
    redis.call('HSET', HELD, permit.id, cjson.encode({ credits = permit.credits, scopes = permit.scopes }))
  end
end

local spent = {}
local function at_least(scope, credits)
  local field = scope .. ':spent'
  local now_spent = tonumber(redis.call('HGET', BUDGET, field) or 0)
  if now_spent < credits then
    redis.call('HSET', BUDGET, field, tostring(credits))
    now_spent = credits
  end
  spent[scope] = now_spent
end

-- Each store declares the sum of its own records; several stores may share a budget.
if ask.recorded then
  for scope, credits in pairs(ask.recorded.spent) do
    redis.call('HSET', ask.recorded.key, scope .. ' ' .. ask.recorded.store, tostring(credits))
  end
  local sums, flat = {}, redis.call('HGETALL', ask.recorded.key)
  for i = 1, #flat, 2 do
    local scope = string.match(flat[i], '^(%S+) ')
    sums[scope] = (sums[scope] or 0) + tonumber(flat[i + 1])
  end
  for scope in pairs(ask.recorded.spent) do
    at_least(scope, sums[scope])
  end
end
for scope, credits in pairs(ask.spent) do
  at_least(scope, credits)
end
return cjson.encode({ spent = spent })
