import Foundation
import Synchronization

/// Adds up what closures are given.
final class Counter: Sendable {
    private let total = Mutex(0)
    func add(_ count: Int) { total.withLock { $0 += count } }
    var sum: Int { total.withLock { $0 } }
}

/// A small file that goes with the value.
final class TemporaryPhoto: Sendable {
    let path = NSTemporaryDirectory() + "sterna-photo-\(UUID().uuidString).jpg"

    init() throws { try Data("photo".utf8).write(to: URL(fileURLWithPath: path)) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
