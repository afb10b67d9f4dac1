-- A process declares its permits, because Redis may have lost them or restored an old snapshot with released ones.
-- Afterwards the permits of this process are exactly those that it declares.

local known = {}
for _, id in ipairs(ask.known) do
  known[id] = true
end
for _, id in ipairs(redis.call('ZRANGE', OPEN, 0, -1)) do
  local process, number_of = string.match(id, '^(.*)-(%d+)$')
  if process == ask.process and tonumber(number_of) <= ask.upTo and not known[id] then
    redis.call('ZREM', OPEN, id)
  end
end
for _, permit in ipairs(ask.held) do
  redis.call('ZADD', OPEN, 'NX', permit.sentAt, permit.id)
end
return cjson.encode({})
