require_relative "base"

module Shop
  class Store < Base
    def initialize(path)
      super
      @codec = Codec.new
    end

    def put(item)
      flush
      @codec.encode(item)
      self.check(item)
      log(item)
    end

    def flush
    end

    def check(item)
      puts item
    end

    def self.open(path)
      new(path)
    end
  end
end
