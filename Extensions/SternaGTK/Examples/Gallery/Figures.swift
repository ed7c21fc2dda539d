import SternaGTK
import SternaPlatform
import Synchronization

/// Times, sorted.
struct Times {
    private let sorted: [Duration]

    init(_ times: [Duration]) { sorted = times.sorted() }

    /// The time that a share of all do not exceed, in milliseconds.
    func percentile(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] / .milliseconds(1)
    }

    /// JSON of the count and of percentiles in milliseconds.
    var json: String {
        let (median, high, most) = (percentile(0.5), percentile(0.999), percentile(1))
        return
            #"{"count":\#(sorted.count),"p50_ms":\#(Self.text(median)),"p99.9_ms":\#(Self.text(high)),"max_ms":\#(Self.text(most))}"#
    }

    static func text(_ number: Double) -> String { "\((number * 10_000).rounded() / 10_000)" }
}

extension [MainLoop.Turn] {
    /// JSON of how long they took, and of how long the thread ran meanwhile.
    var json: String {
        #"{"wall":\#(Times(map(\.duration)).json),"processor":\#(Times(map(\.processorTime)).json)}"#
    }
}

/// The memory of this process.
enum ProcessMemory {
    /// The anonymous memory that is resident, in bytes; nil where the system does not say.
    static var anonymous: Int? {
        #if os(Linux)
        guard let file = fopen("/proc/self/status", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("RssAnon:") { return Int(text.filter(\.isNumber)).map { $0 << 10 } }
        }
        #endif
        return nil
    }
}

/// The most memory that the process has while it is watched.
final class MemoryWatch: Sendable {
    private let start = ProcessMemory.anonymous ?? 0
    private let most = Mutex(0)
    private let isOver = Atomic(false)

    init() {
        Task.detached { [self] in
            while !isOver.load(ordering: .relaxed) {
                look()
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private func look() {
        let now = ProcessMemory.anonymous ?? 0
        most.withLock { $0 = max($0, now) }
    }

    /// The bytes at the beginning, and at most so far.
    var figures: (start: Int, most: Int) {
        look()
        return (start, most.withLock { $0 })
    }

    func end() { isOver.store(true, ordering: .relaxed) }
}
