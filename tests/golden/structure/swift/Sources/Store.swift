import Foundation

class Store: Base, Sink {
    private let codec: Codec

    init(path: String) {
        self.codec = Codec()
        super.init()
    }

    func write(_ item: String) {
        flush()
        self.codec.encode(item)
        log(item)
    }

    private func flush() { print("x") }
}

extension Store {
    static func open(path: String) -> Store { return Store(path: path) }
}
