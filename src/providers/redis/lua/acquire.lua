-- Claims a lease, refreshes the caller's own, or refuses with the holder.
-- KEYS[1]  the lease's record: a plain string, the owner
-- ARGV[1]  owner    ARGV[2]  TTL in milliseconds
-- Returns  { 1 claimed | 2 refreshed | 0 refused, owner afterwards, milliseconds left (-1: no expiry) }
local holder = redis.call('GET', KEYS[1])
if not holder then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return { 1, ARGV[1], tonumber(ARGV[2]) }
end
if holder == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return { 2, holder, tonumber(ARGV[2]) }
end
return { 0, holder, redis.call('PTTL', KEYS[1]) }
