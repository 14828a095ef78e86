package org.example
package billing

import scala.concurrent.{ExecutionContext, Future}
import cats.syntax.all.*

/** How an amount is shown. */
type Amount = BigDecimal

trait Show[A]:
  def show(value: A): String
  extension (value: A) def shown: String = show(value)

enum Status(val label: String) extends HasLabel:
  case Open extends Status("open")
  case Paid, Void
  case Partial(rest: Amount)

  def next: Status = Status.fromOrdinal(ordinal + 1)

given amountShow: Show[Amount] with
  def show(value: Amount) = value.setScale(2).toString

given Ordering[Invoice] = Ordering.by(_.number)

extension (invoice: Invoice)
  def late(now: Long): Boolean = invoice.due < now
  def early: Boolean = !late(0)

/** Anything that can be charged. */
sealed abstract class Chargeable[F[_]](val gateway: Gateway[F]) {
  type Receipt
  protected def charge(amount: Amount): F[Unit]
  val retries: Int
  lazy val log: Logger = Logger("charge")
  var count, total = 0
}

@deprecated("use Bill", "1.2")
final case class Invoice private (number: String, total: Amount)(implicit ec: ExecutionContext)
    extends Document(number)
    with Serializable
    with Comparable[Invoice] {

  def this(number: String) = this(number, 0)

  override def compareTo(other: Invoice): Int = {
    def sign(n: Int): Int = math.signum(n)
    val local = number compareTo other.number
    sign(local)
  }

  def +(other: Invoice): Invoice = copy(total = total + other.total)

  private[billing] class Line(val position: Int)
}

object Invoice extends (String => Invoice) {
  val Prefix, Suffix = "INV"
  private val (low, high) = (7, 19)
  implicit val ordering: Ordering[Invoice] = Ordering.by[Invoice, String](_.number)
  implicit class Ops(val self: Invoice) extends AnyVal { def double: Amount = self.total * 2 }

  def apply(number: String): Invoice = new Invoice(number)
  def load(ids: List[String]): Future[List[Invoice]] =
    Future.traverse(ids) { id => Registry.find(id).map(_.copy(number = id)) }
}

package object support {
  def helper(x: Int): Int = x
}

@main def run(args: String*): Unit =
  println(args.map(Invoice(_)).mkString)

import org.example.Single
import org.example.{Renamed => Other, given, *}

class Bound(val client: Client, plain: Clock) extends Base {
  val held = new Queue[Int](1)
  var made = Client("x")
  private val typed: org.example.Typed = make()

  def chain(given0: Client)(implicit clock: Clock): Bound = {
    val local = Client.apply("x")
    val other = new org.example.Other(local)
    this
  }
}
