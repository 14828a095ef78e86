package shop.support

class Codec {
    fun run(item: String): String = encode(item)
}

fun encode(item: String): String = item.trim()
