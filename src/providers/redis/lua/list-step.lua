-- One step of a listing: scans until enough leases were met or enough keys were passed, so that a step costs the
-- server about the same whatever share of its keys are leases. Only reads.
-- ARGV[1]  cursor    ARGV[2]  MATCH pattern    ARGV[3]  keys per SCAN    ARGV[4]  SCANs at most    ARGV[5]  leases at most
-- Returns  { next cursor, SCANs made, { key, owner, milliseconds left (-1: no expiry), key, owner, ... } }
-- A key that cannot be read here (its slot is moving) has owner '' and -3 in the place of the time left.
local cursor = ARGV[1]
local found = {}
local scans = 0
repeat
  local page = redis.call('SCAN', cursor, 'MATCH', ARGV[2], 'COUNT', ARGV[3], 'TYPE', 'string')
  cursor = page[1]
  scans = scans + 1
  for _, key in ipairs(page[2]) do
    local owner = redis.pcall('GET', key)
    if type(owner) == 'string' then
      found[#found + 1] = key
      found[#found + 1] = owner
      found[#found + 1] = redis.call('PTTL', key)
    elseif type(owner) == 'table' then
      found[#found + 1] = key
      found[#found + 1] = ''
      found[#found + 1] = -3
    end
  end
until cursor == '0' or scans >= tonumber(ARGV[4]) or #found >= 3 * tonumber(ARGV[5])
return { cursor, scans, found }
