package shop.data

import shop.support.Codec
import shop.support.encode as encodeText

class Store(private val codec: Codec) : Base(), Sink {
    override fun write(item: String) {
        flush()
        codec.run(item)
        encodeText(item)
        log(item)
    }

    private fun flush() = println("x")

    companion object {
        fun open(path: String): Store = Store(Codec())
    }
}
