package shop.support

class Codec {
  def encode(item: String): String = item.trim()
}
