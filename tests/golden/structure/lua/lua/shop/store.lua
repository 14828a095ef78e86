local codec = require("shop.codec")

local Store = {}
Store.__index = Store

function Store.new(path)
  return setmetatable({ path = path }, Store)
end

function Store:put(item)
  self:check(item)
  return codec.encode(item)
end

function Store:check(item)
  return item ~= nil
end

local function helper()
  return Store.new("x")
end

helper()

return Store
