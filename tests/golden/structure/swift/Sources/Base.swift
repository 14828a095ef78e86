protocol Sink {
    func write(_ item: String)
}

class Base {
    init() {}
    func log(_ item: String) { audit(item) }
}

struct Codec {
    func encode(_ item: String) -> String { return item }
}

func audit(_ item: String) {}

func run(sink: Sink, other: Any) {
    sink.write("a")
    Store.open(path: "b").write("c")
    other.flush()
}
