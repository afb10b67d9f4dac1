-- A process declares which permits it holds. Redis may have lost them, or have come back as it was when it still had
-- permits that were released since. Afterwards the permits of this process are exactly those that it declares.

local known = {}
for _, id in ipairs(ask.known) do
  known[id] = true
end

local function is_released(id)
  local process, number_of = string.match(id, '^(.*)-(%d+)$')
  return process == ask.process and tonumber(number_of) <= ask.upTo and not known[id]
end

for _, id in ipairs(redis.call('ZRANGE', OPEN, 0, -1)) do
  if is_released(id) then
    redis.call('ZREM', OPEN, id)
  end
end
for _, permit in ipairs(ask.held) do
  redis.call('ZADD', OPEN, 'NX', permit.enteredAt, permit.id)
end
return '{}'
