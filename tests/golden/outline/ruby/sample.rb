# frozen_string_literal: true

require "json"
require_relative "support/clock"
autoload :Retry, "support/retry"

# Money in, money out.
module Billing
  VERSION = "1.2.0"
  Point = Struct.new(:x, :y) do
    def norm
      Math.sqrt(x * x + y * y)
    end
  end
  Failure = Class.new(StandardError)

  # Anything that can be charged.
  module Chargeable
    extend ActiveSupport::Concern

    def charge(amount, currency: "EUR")
      gateway.submit(amount, currency)
    end
  end

  class Invoice < Documents::Base
    include Chargeable
    prepend Audited, Timestamped

    RATES = { low: 7, high: 19 }.freeze

    attr_reader :number, :total
    attr_accessor "note"
    alias_method :id, :number
    alias sum total

    # Builds an invoice.
    def initialize(number, total)
      super()
      @number = number
      @total = total
    end

    def self.find(number)
      local = 1
      store.fetch(number) { |n| new(n, local) }
    end

    class << self
      def store
        @store ||= Store.new
      end
    end

    def paid? = total.zero?

    def [](key)
      lines[key]
    end

    def total=(value)
      @total = value.round(2)
    end

    private def audit!
      log "audited"
      notify
    end

    define_method(:late?) { due < Clock.now }
    delegate :name, to: :customer
    scope :recent, -> { order(created_at: :desc) }
  end
end

class Billing::Export::Csv
  def call(rows) = rows.map(&:to_csv).join
end

def Billing.reset
  Invoice.store.clear
end

def helper(*args, &block)
  block&.call(*args)
end

class Bound
  CLIENT = Client.new
  def initialize
    @client = Billing::Client.new(1)
    local = Queue.new
    plain = make.new
    local.push(plain)
  end
end
