package shop.data

open class Base {
    protected fun log(item: String) { audit(item) }
}

interface Sink {
    fun write(item: String)
}

fun audit(item: String) {}
