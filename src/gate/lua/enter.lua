-- Asks for a place. Checks, in this order: paused by hand, shut (a halt), the law (outage, pause, places, pace).
-- The reply to a request that must wait estimates how long. Its process stands in the line from which `leave` wakes.

for _, id in ipairs(redis.call('ZRANGEBYSCORE', OPEN, '-inf', now - ask.leaseMs)) do
  drop(id)
end

local answer = place_of(ask.id) or refusal(ask.unread) or take(ask)
if opened then
  wake_all()
end
return reply(answer)
