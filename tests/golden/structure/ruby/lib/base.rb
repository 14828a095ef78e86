module Shop
  class Base
    def log(item)
      Codec.new.encode(item)
    end
  end

  class Codec
    def encode(item)
      item.to_s
    end
  end
end
