local json = require("support.json")
local clock, log = require "support.clock", require("support.log")

--- Money in, money out.
local M = {}
local MAX_RETRIES = 3
VERSION = "1.2.0"
M.rate = 19
M.defaults = { currency = "EUR", retries = MAX_RETRIES }

-- An invoice.
local Invoice = setmetatable({}, { __index = M.Document })
Invoice.__index = Invoice

--- Builds an invoice.
-- @param number the number
function Invoice.new(number)
  local self = setmetatable({}, Invoice)
  self.number = number
  return self
end

function Invoice:charge(amount, ...)
  local function retry(times)
    return self.gateway:submit(amount, times)
  end
  local ok = retry(3)
  self.lines[#self.lines + 1] = { amount = amount }
  return ok and log.info("charged")
end

local function helper(rows)
  local doubled = function(row)
    return row * 2
  end
  return vim.tbl_map(doubled, rows)
end

function reset()
  json.clear()
end

M.find = function(id)
  return clock.now() > id
end

M.handlers.paid = function(invoice) invoice:archive() end

local Actions = {
  open = function(id)
    return M.find(id)
  end,
  ["close"] = function(id) reset() end,
  limit = 3,
}

function M.deep.nested.call(x)
  return tostring(x)
end

M.handlers["void"] = function() print "void" end

local on_paid, on_void = function() end, function() end
on_paid = function(event) M.emit { name = event } end

return M
