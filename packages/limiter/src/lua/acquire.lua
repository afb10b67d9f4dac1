-- Asks for a permit. A request that must wait gets an estimate, and its process joins the line from which `release`
-- calls.

for _, id in ipairs(redis.call('ZRANGEBYSCORE', OPEN, '-inf', now - ask.leaseMs)) do
  drop(id)
end

local answer = place_of(ask.id) or refusal() or take(ask)
if opened then
  call_all()
end
return reply(answer)
