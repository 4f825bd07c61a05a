-- Deletes a lease if the caller holds it.
-- KEYS[1]  the lease's record
-- ARGV[1]  owner
-- Returns  { 1 } released | { 0 } nobody held it | { 0, holder, milliseconds left (-1: no expiry) }
local holder = redis.call('GET', KEYS[1])
if not holder then
  return { 0 }
end
if holder == ARGV[1] then
  redis.call('DEL', KEYS[1])
  return { 1 }
end
return { 0, holder, redis.call('PTTL', KEYS[1]) }
