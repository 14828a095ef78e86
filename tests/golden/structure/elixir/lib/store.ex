defmodule Shop.Store do
  alias Shop.Codec
  import Shop.Checks

  def put(item) do
    validate(item)
    Codec.encode(item)
    check(item)
    Enum.map([item], &Codec.encode/1)
  end

  defp validate(item), do: __MODULE__.open(item)

  def open(item), do: item
end
