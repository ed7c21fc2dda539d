import Crypto
import NIOCore
import SternaPlatform
import Synchronization

/// One upload: its record and its content, in memory or in files.
///
/// One request at a time adds content: a newer request, for content or for the offset, ends an older one's claim, so that a reported
/// offset does not change afterwards.
final class StoredUpload: Sendable {
    /// The right to add content, which the next claim ends.
    struct Claim: Sendable, Hashable {
        fileprivate let number: Int
    }

    /// A newer request has taken over, or the upload was removed.
    struct ClaimIsOver: Error {}

    /// The content would be longer than the upload.
    struct TooLong: Error {}

    private struct State {
        var record: UploadRecord
        var offset: Int64 = 0
        var received: Int64 = 0
        var bytes: [UInt8] = []
        var claim = 0
        var isGone = false
    }

    let id: String
    private let files: UploadFiles?
    private let state: Mutex<State>

    /// Creates an upload without content.
    init(id: String, folder: String?, record: UploadRecord) throws {
        self.id = id
        files = folder.map { UploadFiles(folder: $0, id: id) }
        state = Mutex(State(record: record))
        try files?.save(record)
    }

    /// Reads an upload from its files; nil if there is none. Content that waited for its checksum is cut off.
    init?(id: String, reading folder: String) throws {
        self.id = id
        let files = UploadFiles(folder: folder, id: id)
        self.files = files
        guard var record = files.load() else { return nil }
        if let start = record.unverified {
            try files.cut(to: start)
            record.unverified = nil
            try files.save(record)
        }
        if let length = record.length { try files.cut(to: length) }
        let count = files.count
        // No valid offset could name its end.
        guard count <= UploadText.most else { return nil }
        // A power failure may have taken content; what is left can be continued.
        if record.length != count { record.isComplete = false }
        state = Mutex(State(record: record, offset: count, received: files.loadReceived()))
    }

    var record: UploadRecord { state.withLock { $0.record } }

    /// The number of stored bytes that do not wait for a checksum.
    var offset: Int64 { state.withLock { $0.record.unverified ?? $0.offset } }

    var status: UploadStatus {
        state.withLock { state in
            UploadStatus(
                id: id, dialect: state.record.dialect.rawValue, offset: state.record.unverified ?? state.offset,
                length: state.record.length, isComplete: state.record.isComplete, received: state.received)
        }
    }

    /// Changes the record and stores it.
    func update(_ change: (inout UploadRecord) -> Void) throws {
        try state.withLock { state in
            guard !state.isGone else { throw ClaimIsOver() }
            change(&state.record)
            try files?.save(state.record)
        }
    }

    /// Counts an occurrence of a fault; returns whether it occurs, at most so many times.
    func occurs(_ fault: String, times: Int) throws -> Bool {
        guard record.faults[fault] ?? 0 < times else { return false }
        try update { $0.faults[fault, default: 0] += 1 }
        return true
    }

    // MARK: Content

    /// Begins a claim, and ends that of any other request. Returns the offset, which does not change until this claim adds content.
    @discardableResult
    func takeClaim() throws -> (claim: Claim, offset: Int64) {
        try state.withLock { state in
            guard !state.isGone else { throw ClaimIsOver() }
            state.claim += 1
            // The older request's content is not verified any more.
            if let start = state.record.unverified { try cut(to: start, &state) }
            return (Claim(number: state.claim), state.offset)
        }
    }

    /// Marks what the claim adds as waiting for its checksum.
    func verifyLater(_ claim: Claim) throws {
        try state.withLock { state in
            try check(claim, state)
            state.record.unverified = state.offset
            try files?.save(state.record)
        }
    }

    /// Counts bytes that were read.
    func count(received bytes: Int) throws {
        try state.withLock { state in
            let (sum, isOver) = state.received.addingReportingOverflow(Int64(bytes))
            state.received = isOver ? .max : sum
            guard !state.isGone else { return }
            try files?.save(received: state.received)
        }
    }

    /// Adds content; returns the offset after it.
    ///
    /// - Parameter limit: the largest offset.
    func append(_ buffer: ByteBuffer, _ claim: Claim, upTo limit: Int64) throws -> Int64 {
        try state.withLock { state in
            try check(claim, state)
            let end = state.offset + Int64(buffer.readableBytes)
            guard end <= min(state.record.length ?? .max, limit) else { throw TooLong() }
            if let files {
                try buffer.withUnsafeReadableBytes { try files.write($0, at: state.offset) }
            } else {
                state.bytes += buffer.readableBytesView
            }
            state.offset = end
            return end
        }
    }

    /// Ends the wait for a checksum: keeps the content, or cuts it off.
    func verified(_ isRight: Bool, _ claim: Claim) throws {
        try state.withLock { state in
            try check(claim, state)
            guard let start = state.record.unverified else { return }
            if isRight {
                state.record.unverified = nil
                try files?.save(state.record)
            } else {
                try cut(to: start, &state)
            }
        }
    }

    private func check(_ claim: Claim, _ state: borrowing State) throws {
        guard state.claim == claim.number, !state.isGone else { throw ClaimIsOver() }
    }

    private func cut(to offset: Int64, _ state: inout State) throws {
        if let files { try files.cut(to: offset) } else { state.bytes.removeLast(Int(max(0, state.offset - offset))) }
        state.offset = min(state.offset, offset)
        state.record.unverified = nil
        try files?.save(state.record)
    }

    /// Ends every claim, and removes the files.
    func remove() {
        state.withLock { state in
            state.isGone = true
            state.bytes = []
            files?.remove()
        }
    }

    // MARK: Reading

    /// Calls a closure with the content that counts, in pieces of up to 1 MiB.
    func read(_ piece: (UnsafeRawBufferPointer) throws -> Void) throws {
        let (offset, bytes) = state.withLock { ($0.record.unverified ?? $0.offset, $0.bytes) }
        guard let files else {
            let count = min(bytes.count, Int(offset))
            return try bytes.withUnsafeBytes { try piece(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        guard offset > 0 else { return }
        let handle = open(files.content, O_RDONLY | O_CLOEXEC)
        guard handle >= 0 else { throw UploadStorageError(code: errno) }
        defer { close(handle) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var rest = offset
        while rest > 0 {
            let wanted = Int(min(rest, Int64(buffer.count)))
            let count = SternaPlatform.read(handle, &buffer, wanted)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw UploadStorageError(code: errno) }
            try buffer.withUnsafeBytes { try piece(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            rest -= Int64(count)
        }
    }

    /// Returns the SHA-256 of the content that counts, in hexadecimal digits.
    func digest() throws -> String {
        var digest = SHA256()
        try read { digest.update(bufferPointer: $0) }
        return ASCIIText.hex(digest.finalize())
    }
}
