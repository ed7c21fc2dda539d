import Foundation
import Synchronization

/// A small file that is removed with the value.
final class TemporaryPhoto: Sendable {
    let path = NSTemporaryDirectory() + "sterna-photo-\(UUID().uuidString).jpg"

    init() throws { try Data("photo".utf8).write(to: URL(fileURLWithPath: path)) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
