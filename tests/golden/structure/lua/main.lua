local Store = require("shop.store")

local function run(other)
  local store = Store.new("a")
  store:put(1)
  other:check(2)
end

run()
