require_relative "lib/store"

def run(input)
  store = Shop::Store.new("a")
  store.put(1)
  Shop::Store.open("b")
  input.put(2)
  help
end

def help
end
