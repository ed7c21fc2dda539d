import NIOCore
import SternaCore

/// Collects pieces of a body, and writes them to a partial file while more arrive.
///
/// At most two portions are in memory: one being filled and one being written.
struct PartialWriter {
    /// The size of a portion in bytes.
    static let portion = 512 << 10

    private let file: PartialFile
    private let log: (any DownloadLog)?
    private let end: Int64?
    private var filled = Bytes()
    private var writing: Task<Void, any Error>?

    // The position after the last byte that was passed to a write.
    private var offset: Int64

    /// The position after the last byte in the file.
    private(set) var written: Int64

    // Whether a write has failed; the file then ends at `written`.
    private var isBroken = false

    /// - Parameters:
    ///   - offset: the position of the first byte.
    ///   - log: receives each portion that is in the file; nil for none.
    ///   - end: the position at which the file is complete; nil if it is unknown, or other parts may be missing. The log does not
    ///     receive the portion that ends there, since it is informed of the synced file anyway.
    init(_ file: PartialFile, at offset: Int64, log: (any DownloadLog)? = nil, end: Int64? = nil) {
        self.file = file
        self.log = log
        self.end = end
        self.offset = offset
        written = offset
    }

    /// Adds a piece; waits while the previous portion is being written.
    mutating func add(_ piece: Bytes) async throws {
        if filled.readableBytes == 0, piece.readableBytes >= Self.portion {
            return try await write(piece)
        }
        var piece = piece
        while var end = piece.readSlice(length: Self.portion - filled.readableBytes) {
            filled.writeBuffer(&end)
            let full = filled
            filled = Bytes()
            try await write(full)
        }
        guard piece.readableBytes > 0 else { return }
        // A portion after a full one is expected to be full, too: reserving its room once avoids copies while it grows.
        if filled.capacity == 0, writing != nil { filled.reserveCapacity(Self.portion) }
        filled.writeBuffer(&piece)
    }

    private mutating func write(_ bytes: Bytes) async throws {
        try await settle()
        let (file, start) = (file, offset)
        offset += Int64(bytes.readableBytes)
        let log = offset == end ? nil : log
        writing = Task {
            try await BlockingWork.run {
                try file.write(bytes, at: start)
                try log?.wrote(bytes, at: start)
            }
        }
    }

    private mutating func settle() async throws {
        guard let task = writing.take() else { return }
        do {
            try await task.value
            written = offset
        } catch {
            isBroken = true
            throw error
        }
    }

    /// Writes the remaining bytes, unless a write has failed; throws if this one fails. ``written`` is then the end of the bytes in
    /// the file.
    mutating func finish() async throws {
        try await settle()
        guard !isBroken, filled.readableBytes > 0 else { return }
        let last = filled
        filled = Bytes()
        try await write(last)
        try await settle()
    }
}
