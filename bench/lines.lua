-- wrk sends lines of a file: each once, or all of them again and again. A line is method, path, name and
-- value of a header, and body, with tabs between them; {n} in a body becomes a number of its own. The
-- arguments: the file, "once" or "again", what numbers begin with, requests a second (0: as fast as they
-- are answered), "inspect" to keep the first answer that is no success, or "judge" to look at each: then
-- it ends with the last answer, and one that tells of an item that was not booked is a failure.

local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds; long nanos; } moment; int clock_gettime(int, moment *);")
local moment = ffi.new("moment")
local function now()
  ffi.C.clock_gettime(0, moment)
  return tonumber(moment.seconds) + tonumber(moment.nanos) / 1e9
end

local DIGITS = 9
local texts, rests = {}, {}
local line, count, once = 0, 0, false
local filler
local checked, judges = false, false
answered, failures = 0, 0

local function finish()
  if ended_at ~= nil then return end
  ended_at = now()
  io.stdout:write("ended\n")
  io.stdout:flush()
  wrk.thread:stop()
end

local running
function setup(thread)
  running = thread
end

function init(args)
  local host = "Host: " .. wrk.headers["Host"] .. "\r\n"
  once = args[2] == "once"
  filler = "GET /healthz HTTP/1.1\r\n" .. host .. "\r\n"
  for text in io.lines(args[1]) do
    local method, path, name, value, body =
      text:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$")
    local head = method .. " " .. path .. " HTTP/1.1\r\n" .. host .. name .. ": " .. value .. "\r\n"
    local before, after = body:match("^(.-){n}(.*)$")
    if body == "" then
      texts[#texts + 1] = head .. "\r\n"
    else
      if before then before = before .. args[3] end
      local length = before and #before + DIGITS + #after or #body
      head = head .. "Content-Type: application/json\r\nContent-Length: " .. length .. "\r\n\r\n"
      texts[#texts + 1] = head .. (before or body)
      rests[#texts] = after
    end
  end

  local rate = tonumber(args[4])
  if rate > 0 then
    -- Arrivals by chance, at so many a second in all: whichever connection is free takes the next one.
    -- wrk waits for whole milliseconds, so the part of one is rounded by chance as well.
    local next_at
    math.randomseed(now())
    function delay()
      local at = now()
      next_at = (next_at or at) - math.log(1 - math.random()) / rate
      return math.max(0, math.floor((next_at - at) * 1000 + math.random()))
    end
  end
  judges = args[5] == "judge"
  if judges then
    -- Who has nothing left to send waits for the others' answers.
    function delay()
      return line >= #texts and 60000 or 0
    end
    function response(status, _, body)
      if body:find('"alive"', 1, true) then return end
      answered = answered + 1
      if status > 299 or body:find('"code":"', 1, true) or body:find('"state":"suspense"', 1, true) then
        failures = failures + 1
        failure = failure or status .. " " .. body:sub(1, 500)
      end
      if answered == #texts then finish() end
    end
  elseif args[5] == "inspect" then
    function response(status, _, body)
      if status > 299 and failure == nil then failure = status .. " " .. body end
    end
  end
end

function request()
  -- wrk asks for one before it starts, only to look at it.
  if not checked then
    checked = true
    return filler
  end
  if started_at == nil then
    started_at = now()
    io.stdout:write("started\n")
    io.stdout:flush()
  end
  line = line + 1
  if line > #texts then
    if once then
      if not judges then finish() end
      return filler
    end
    line = 1
  end
  local rest = rests[line]
  if rest == nil then return texts[line] end
  count = count + 1
  return texts[line] .. string.format("%09d", count) .. rest
end

function done(summary, latency)
  local errors = summary.errors
  local seconds = summary.duration / 1e6
  local ended = running:get("ended_at")
  if ended then seconds = ended - running:get("started_at") end
  local told = running:get("answered")
  local lost = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  io.stdout:write(string.format(
    '\n{"answered":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f,"failures":%d}\n',
    told > 0 and told or summary.requests, seconds,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, lost + running:get("failures")))
  local first = running:get("failure")
  if first then io.stdout:write("failure " .. first .. "\n") end
end
