package shop.data

abstract class Base {
  protected def log(item: String): Unit = audit(item)
  def audit(item: String): Unit = ()
}

trait Sink {
  def write(item: String): Unit
}
