-- Hands a lease from one owner to another with a fresh TTL, never leaving the key free in between.
-- KEYS[1]  the lease's record
-- ARGV[1]  owner it must have    ARGV[2]  owner it gets    ARGV[3]  TTL in milliseconds
-- Returns  { 1, new owner, milliseconds left } moved | { 0 } nobody held it | { 0, holder, milliseconds left (-1: no expiry) }
local holder = redis.call('GET', KEYS[1])
if not holder then
  return { 0 }
end
if holder == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  return { 1, ARGV[2], tonumber(ARGV[3]) }
end
return { 0, holder, redis.call('PTTL', KEYS[1]) }
