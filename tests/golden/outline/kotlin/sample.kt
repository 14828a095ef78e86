@file:JvmName("Billing")

package org.example.billing

import kotlin.math.max
import org.example.support.Clock as WallClock

/** How much of it is tax. */
const val RATE: Int = 19
private val cache by lazy { HashMap<String, Invoice>() }
val Invoice.isLate: Boolean
    get() = due < WallClock.now()

typealias Handler = suspend (Invoice) -> Unit

annotation class Audited(val level: Int = 1)

/** Anything that can be charged. */
sealed interface Chargeable<in T> : Comparable<T> {
    val total: Long
    fun charge(amount: Long): Boolean
}

fun interface Listener {
    fun onPaid(invoice: Invoice)
}

enum class Status(val label: String) : HasLabel {
    OPEN("open") {
        override fun next() = PAID
    },
    PAID("paid");

    abstract fun next(): Status

    companion object {
        fun parse(text: String) = valueOf(text.uppercase())
    }
}

@Serializable
@Audited(level = 2)
data class Invoice internal constructor(
    val number: String,
    override val total: Long,
    label: String = "none",
) : Document(number), Chargeable<Invoice> by Delegate(number) {
    private lateinit var gateway: Gateway

    constructor(number: String) : this(number, 0L) {
        register(number)
    }

    init {
        require(total >= 0) { "negative" }
    }

    @Throws(IOException::class)
    override suspend fun charge(amount: Long): Boolean {
        fun retry(times: Int) = gateway.submit(amount, times)
        val local = retry(3)
        return listOf(local).map { it?.ok() }.first()!! && super.charge(amount)
    }

    inner class Line(val position: Int)

    companion object Factory : Creator<Invoice> {
        const val PREFIX = "INV"
    }
}

object Registry : Closeable {
    override fun close() = cache.clear()
}

fun <T : Any> List<T>.second(): T = this[1]

infix fun Invoice.plus(other: Invoice): Long = max(total, other.total)
private val listener = object : Listener {
    override fun onPaid(invoice: Invoice) = println(invoice)
}

class Bound(private val client: Client, plain: Clock?) : Base() {
    val held = Queue<Int>(1)
    lateinit var late: org.example.Late
    private val lazily: Client by lazy { Client() }

    fun chain(given: Client?, many: List<Client>): Bound {
        val local = Client("x")
        val other = org.example.Other()
        val plain = make()
        this.late = Late()
        return this
    }
}
