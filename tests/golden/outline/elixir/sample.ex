defmodule Billing.Invoice do
  @moduledoc """
  An invoice.
  """

  use Ecto.Schema
  import Ecto.Query, only: [from: 2]
  alias Billing.{Gateway, Line}
  require Logger

  @behaviour Billing.Chargeable
  @rate 19
  @type t :: %__MODULE__{number: String.t()}
  @typep amount :: integer | float
  @opaque handle(a) :: {:handle, a}
  @callback archive(t) :: :ok | {:error, term}

  @enforce_keys [:number]
  defstruct [:number, total: 0]

  defguard is_late(due) when due < 0
  defdelegate count(invoices), to: Enum

  @doc "Charges it."
  @spec charge(t, amount) :: :ok
  @impl true
  def charge(invoice, amount \\ 0)

  def charge(%__MODULE__{} = invoice, amount) when is_integer(amount) and amount > 0 do
    local = Gateway.submit(invoice, amount)
    Logger.info("charged #{inspect(local)}")
    retry(fn -> invoice.gateway.call() end)
  end

  def charge(_invoice, _amount), do: :ok

  def paid?(invoice), do: invoice.total == 0

  def reset, do: :ets.delete_all_objects(:invoices)

  defp retry(fun) do
    fun.()
    |> Enum.map(&Line.total/1)
    |> Enum.sum()
  end

  defmacro audited(name, do: block) do
    quote do
      def unquote(name)(), do: unquote(block)
    end
  end

  defmacrop secret, do: nil

  def left <~> right do
    left.total + right.total
  end

  defmodule Missing do
    defexception message: "missing"
  end
end

defprotocol Billing.Show do
  @doc "Shows it."
  def show(value)
end

defimpl Billing.Show, for: Billing.Invoice do
  def show(invoice), do: to_string(invoice.number)
end

defimpl Billing.Show, for: [Integer, Float] do
  def show(number), do: inspect(number)
end

defmodule Billing.Bound do
  alias Billing.Invoice
  alias Billing.Support.Clock, as: Time
  def run(value), do: Invoice.charge(value, Time.now())
end
