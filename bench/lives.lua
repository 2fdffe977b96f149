-- wrk leads payments through their lives: an invoice, its details, the transfer. What follows from an
-- answer is sent before anything new is begun. wrk does not say which request an answer belongs to, so
-- the amount tells the shop: its last three digits of roubles. No amount comes again before millions of
-- others. The arguments: a file of shops (id and key), steps (1 to 3), "seconds" or "count" and how many,
-- what order ids begin with, "one" when all is for the first shop, the operator's token, how many amounts
-- were used before, a file for what was collected, addresses for webhooks.

local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds; long nanos; } moment; int clock_gettime(int, moment *);")
local moment = ffi.new("moment")
local function now()
  ffi.C.clock_gettime(0, moment)
  return tonumber(moment.seconds) + tonumber(moment.nanos) / 1e9
end

local SHOPS = 1000
local THOUSANDS = 90
local shops, hooks, queue = {}, {}, {}
local first, last = 1, 0
local steps, limit, prefix, token, before, host, filler, out
local counts, only_one, checked = false, false, false
begun, finished, failures = 0, 0, 0
local open = 0

local running
function setup(thread)
  running = thread
end

function init(args)
  host = "Host: " .. wrk.headers["Host"] .. "\r\n"
  filler = "GET /healthz HTTP/1.1\r\n" .. host .. "\r\n"
  for text in io.lines(args[1]) do
    local id, key = text:match("^([^\t]*)\t(.*)$")
    shops[#shops + 1] = { id = id, key = key }
  end
  steps, counts, limit, prefix = tonumber(args[2]), args[3] == "count", tonumber(args[4]), args[5]
  only_one, token = args[6] == "one", args[7]
  before = tonumber(args[8])
  out = io.open(args[9], "w")
  for at = 10, #args do hooks[#hooks + 1] = args[at] end
end

local function post(path, header, body)
  return "POST " .. path .. " HTTP/1.1\r\n" .. host .. header .. "\r\nContent-Type: application/json\r\n"
    .. "Content-Length: " .. #body .. "\r\n\r\n" .. body
end

local function shop_at(index)
  return shops[only_one and 1 or index % #shops + 1]
end

local function create(number)
  local index = (before + number) % SHOPS
  local round = math.floor((before + number) / SHOPS)
  local shop = shop_at(index)
  local roubles = SHOPS * (1 + math.floor(round / 100) % THOUSANDS) + index
  local hook = ""
  if #hooks > 0 then hook = ',"hook_url":"' .. hooks[index % #hooks + 1] .. '"' end
  return post("/invoice/create", "x-api-key: " .. shop.key, string.format(
    '{"amount":%d.%02d,"order_id":"%s-%d","shop_id":"%s","include_service":["p2p_card"],'
      .. '"type":"direct","success_url":"https://shop.example/ok"%s}',
    roubles, round % 100, prefix, number, shop.id, hook))
end

local function details(index, id)
  local shop = shop_at(index)
  return post("/invoice/h2h", "x-api-key: " .. shop.key, string.format(
    '{"invoice_id":"%s","shop_id":"%s","payment_data":{"bank":"%s"}}',
    id, shop.id, index % 2 == 0 and "sber" or "tinkoff"))
end

local sent = 0
local function transfer(wallet, amount)
  sent = sent + 1
  return post("/manage/transfers", "authorization: Bearer " .. token, string.format(
    '{"wallet":"%s","amount":%s,"reference":"%s-%d"}', wallet, amount, prefix, sent))
end

local function may_begin()
  if counts then return begun < limit end
  return now() - started_at < limit
end

local function finish()
  if ended_at ~= nil then return end
  ended_at = now()
  out:close()
  io.stdout:write("ended\n")
  io.stdout:flush()
  wrk.thread:stop()
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
  if first <= last then
    local text = queue[first]
    queue[first] = nil
    first = first + 1
    return text
  end
  if may_begin() then
    begun = begun + 1
    open = open + 1
    return create(begun)
  end
  if open == 0 then finish() end
  return filler
end

local function follow(text)
  last = last + 1
  queue[last] = text
end

local function complete()
  open = open - 1
  finished = finished + 1
  if open == 0 and not may_begin() then finish() end
end

function response(status, _, body)
  if ended_at ~= nil or body:find('"alive"', 1, true) then return end
  local id, roubles = body:match('"id":"([^"]+)","amount":"(%d+)')
  local wallet = body:match('"wallet":"([^"]+)"')
  if status == 200 and id then
    if steps > 1 then return follow(details(tonumber(roubles) % SHOPS, id)) end
    out:write(tonumber(roubles) % SHOPS, "\t", id, "\n")
    complete()
  elseif status == 200 and wallet then
    local amount = body:match('"amount":"([%d.]+)"')
    if steps > 2 then return follow(transfer(wallet, amount)) end
    out:write(wallet, "\t", amount, "\n")
    complete()
  elseif status == 200 and body:find('"state":"matched"', 1, true) then
    complete()
  else
    failures = failures + 1
    failure = failure or status .. " " .. body
    open = open - 1
  end
end

function done(summary)
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  io.stdout:write(string.format(
    '\n{"begun":%d,"finished":%d,"startedAtMs":%.3f,"seconds":%.6f,"failures":%d}\n',
    running:get("begun"), running:get("finished"), (running:get("started_at") or 0) * 1000,
    (running:get("ended_at") or now()) - (running:get("started_at") or 0),
    running:get("failures") + lost))
  local first_failure = running:get("failure")
  if first_failure then io.stdout:write("failure " .. first_failure .. "\n") end
end
