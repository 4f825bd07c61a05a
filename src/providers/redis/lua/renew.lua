-- Gives a lease a fresh TTL if the caller holds it; never creates one.
-- KEYS[1]  the lease's record
-- ARGV[1]  owner    ARGV[2]  TTL in milliseconds
-- Returns  { 1, owner, milliseconds left } renewed | { 0 } nobody held it | { 0, holder, milliseconds left (-1: no expiry) }
local holder = redis.call('GET', KEYS[1])
if not holder then
  return { 0 }
end
if holder == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return { 1, holder, tonumber(ARGV[2]) }
end
return { 0, holder, redis.call('PTTL', KEYS[1]) }
