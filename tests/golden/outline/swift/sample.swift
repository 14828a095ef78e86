import Foundation
@testable import class Billing.Gateway

/// How much of it is tax.
public let rate = 19
private var cache: [String: Invoice] = [:], misses = 0

typealias Handler = (Invoice) async throws -> Void

infix operator <+>: AdditionPrecedence

/// Anything that can be charged.
@objc public protocol Chargeable: AnyObject, Sendable {
    associatedtype Receipt: Codable
    var total: Decimal { get }
    init(number: String)
    func charge(_ amount: Decimal) async throws -> Receipt
}

enum Status: String, CaseIterable {
    case open, paid
    case partial = "part"

    indirect enum Tree { case leaf(Int), node(Tree, Tree) }

    var label: String { rawValue.capitalized }
}

@available(iOS 15, *)
@MainActor
public final class Invoice<T: Codable>: Document, Chargeable where T: Hashable {
    static let shared = Invoice(number: "0")
    @Published private(set) var total: Decimal = 0 {
        didSet { audit("total") }
    }
    lazy var lines: [Line] = makeLines()

    public required init(number: String) {
        super.init(number: number)
        cache[number] = self
    }

    convenience init?(data: Data) { return nil }

    deinit { gateway?.close() }

    subscript(index: Int) -> Line { lines[index] }

    @discardableResult
    func charge(_ amount: Decimal) async throws -> Receipt {
        func retry(times: Int) -> Bool { times > 0 }
        let local = retry(times: 3)
        return try await gateway!.submit(amount, local).map { $0.receipt() }
    }

    static func == (lhs: Invoice, rhs: Invoice) -> Bool { lhs.number == rhs.number }

    struct Line {
        var position: Int
    }
}

actor Registry {
    func find(_ id: String) -> Invoice? { cache[id] }
}

extension Invoice.Line: Comparable, CustomStringConvertible {
    var description: String { "\(position)" }
    static func < (lhs: Self, rhs: Self) -> Bool { lhs.position < rhs.position }
}

func helper<T>(_ items: [T], by key: (T) -> Int) -> [Int] {
    return items.map(key).sorted()
}

final class Bound {
    let client: Client?
    var held = Queue(1)
    var many: [Client] = []

    init(client: Client) {
        self.client = Client()
        let local = Billing.Line()
        let typed: Gateway = make()
        typed.run(local)
    }
}
