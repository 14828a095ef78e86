package shop

import shop.data.*

fun main() {
    val store = Store.open("x")
    store.write("a")
    val other: Sink = store
    other.write("b")
    run(other)
}

fun run(sink: Sink) {
    sink.write("c")
    audit("d")
}
