import SternaPlatform

/// A file in the memory of parent and child: how far the run has come, and its last input.
// Invariant: one thread of the child writes, the watchdog only once nothing else does; the parent reads when the child has ended.
final class MutationRecord: @unchecked Sendable {
    enum State: UInt64 {
        case waiting, running, done, failed, hung
    }

    private static let header = 64
    private static let messageLimit = 4_000
    private static let inputStart = 4_096
    private static let inputLimit = 256 << 10

    private let memory: UnsafeMutableRawPointer

    static func path(_ name: String, parent: Int32) -> String {
        "/tmp/sterna-mutations-\(parent)-\(name.filter { $0.isASCII && ($0.isLetter || $0.isNumber) })"
    }

    /// Opens the file, and makes it where there is none.
    init?(path: String) {
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let size = Self.inputStart + Self.inputLimit
        guard ftruncate(file, off_t(size)) == 0,
            let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
        else { return nil }
        self.memory = memory
    }

    deinit { munmap(memory, Self.inputStart + Self.inputLimit) }

    private subscript(index: Int) -> UInt64 {
        // Within the header, and aligned.
        get { memory.load(fromByteOffset: 8 * index, as: UInt64.self) }
        set { memory.storeBytes(of: newValue, toByteOffset: 8 * index, as: UInt64.self) }
    }

    var state: State {
        get { State(rawValue: self[0]) ?? .waiting }
        set { self[0] = newValue.rawValue }
    }
    var seed: UInt64 {
        get { self[1] }
        set { self[1] = newValue }
    }
    var executions: UInt64 {
        get { self[2] }
        set { self[2] = newValue }
    }
    var accepted: UInt64 {
        get { self[3] }
        set { self[3] = newValue }
    }
    /// The processor time that the run took.
    var nanoseconds: UInt64 {
        get { self[4] }
        set { self[4] = newValue }
    }
    var message: String {
        get { String(decoding: bytes(Self.header, Int(self[5]), Self.messageLimit), as: UTF8.self) }
        set { self[5] = write(Array(newValue.utf8), at: Self.header, Self.messageLimit) }
    }
    var input: [UInt8] {
        get { bytes(Self.inputStart, Int(self[6]), Self.inputLimit) }
        set { self[6] = write(newValue, at: Self.inputStart, Self.inputLimit) }
    }

    private func bytes(_ start: Int, _ count: Int, _ limit: Int) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: memory + start, count: min(count, limit)))
    }

    private func write(_ bytes: [UInt8], at start: Int, _ limit: Int) -> UInt64 {
        let count = min(bytes.count, limit)
        // Both areas have the limit's size.
        bytes.withUnsafeBytes { source in
            if let base = source.baseAddress { memcpy(memory + start, base, count) }
        }
        return UInt64(count)
    }
}
