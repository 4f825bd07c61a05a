-- Reads a lease's owner and the time left of it in one step.
-- KEYS[1]  the lease's record
-- Returns  { } nobody holds it | { owner, milliseconds left (-1: no expiry) }
local owner = redis.call('GET', KEYS[1])
if not owner then
  return {}
end
return { owner, redis.call('PTTL', KEYS[1]) }
