defmodule Shop.Codec do
  def encode(item), do: Shop.Store.open(item)
end

defmodule Shop.Checks do
  def check(item), do: is_nil(item)
end
