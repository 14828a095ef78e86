package shop.data

import shop.support.Codec

class Store(codec: Codec) extends Base with Sink {
  def write(item: String): Unit = {
    flush()
    codec.encode(item)
    this.log(item)
  }
  private def flush(): Unit = println("x")
}

object Store {
  def open(path: String): Store = new Store(new Codec())
}
