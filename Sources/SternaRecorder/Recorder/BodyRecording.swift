import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization
import Synchronization

/// The bytes of a body that passes, up to the limits of the recorder.
final class BodyCollector: Sendable {
    private struct State {
        var bytes: Bytes?
        var size: Int64 = 0
    }

    private let budget: RecordingBudget
    private let limit: Int
    private let state: Mutex<State>

    /// - Parameter isKept: whether the bytes are kept, or only counted.
    init(_ budget: RecordingBudget, limit: Int, isKept: Bool) {
        (self.budget, self.limit) = (budget, limit)
        state = Mutex(State(bytes: isKept && limit > 0 ? Bytes() : nil))
    }

    /// Begins anew, for a body that is sent again.
    func begin() {
        state.withLock { state in
            state.size = 0
            guard let kept = state.bytes?.readableBytes else { return }
            budget.release(kept)
            state.bytes = Bytes()
        }
    }

    func add(_ piece: Bytes) {
        let released = state.withLock { state -> Bytes? in
            state.size += Int64(piece.readableBytes)
            guard let kept = state.bytes?.readableBytes else { return nil }
            guard piece.readableBytes <= limit - kept, budget.take(piece.readableBytes, of: .body) else {
                budget.release(kept)
                return state.bytes.take()
            }
            if kept == 0 {
                state.bytes = piece.compact
            } else {
                state.bytes?.writeImmutableBuffer(piece)
            }
            return nil
        }
        _ = released
    }

    var body: Recorder.Body { state.withLock { Recorder.Body(size: $0.size, bytes: $0.bytes) } }
}

/// The parts of a request's body: those in memory, and those that pass.
struct RequestBodyRecording: Sendable {
    private enum Part: Sendable {
        case collected(BodyCollector)
        /// A file whose bytes are not kept.
        case file(Int64)
    }

    /// The bytes of files, by their place in the body.
    typealias Files = [Int: Bytes]

    /// Reads the files of a request whose bytes are kept, up to the limit of a body, before they are sent: the connection may send a
    /// file without reading it. A file that cannot be read is left out.
    nonisolated(nonsending) static func files(of request: Request, _ limits: Recorder.Limits) async -> Files {
        guard let body = request.body, limits.keeps(request.headers[.contentType] ?? body.mediaType) else { return [:] }
        var (files, room) = (Files(), limits.bodyBytes)
        for (index, segment) in body.segments.enumerated() {
            guard case .file(let range) = segment else { continue }
            // A body of which a part is missing is not kept.
            guard range.length <= Int64(room) else { return [:] }
            files[index] = try? await BlockingWork.run { try range.content(upTo: Int(range.length)) }
            room -= Int(range.length)
        }
        return files
    }

    private var parts: [Part] = []

    /// Records the body of a request, and replaces its producers by ones that are recorded as they pass.
    init(_ request: inout Request, files: Files = [:], _ budget: RecordingBudget, _ limits: Recorder.Limits) {
        guard let body = request.body else { return }
        let isKept = limits.keeps(request.headers[.contentType] ?? body.mediaType)
        for (index, segment) in body.segments.enumerated() {
            if case .file(let range) = segment, files[index] == nil {
                parts.append(.file(range.length))
                continue
            }
            let collector = BodyCollector(budget, limit: limits.bodyBytes, isKept: isKept)
            parts.append(.collected(collector))
            switch segment {
            case .bytes(let bytes): collector.add(bytes)
            case .producer(let producer): request.body?.segments[index] = .producer(producer.recorded(by: collector))
            case .file: if let bytes = files[index] { collector.add(bytes) }
            }
        }
    }

    /// The body as far as it was sent; nil if there is none.
    func body(limit: Int) -> Recorder.Body? {
        guard !parts.isEmpty else { return nil }
        var all: Bytes? = Bytes()
        var size: Int64 = 0
        for part in parts {
            switch part {
            case .file(let length):
                size = size.addingSaturated(length)
                all = nil
            case .collected(let collector):
                let body = collector.body
                size = size.addingSaturated(body.size)
                guard let bytes = body.bytes, let kept = all?.readableBytes, bytes.readableBytes <= limit - kept else {
                    all = nil
                    continue
                }
                if kept == 0 { all = bytes } else { all?.writeImmutableBuffer(bytes) }
            }
        }
        return Recorder.Body(size: size, bytes: all)
    }
}

extension Bytes {
    /// These bytes to be kept, copied if they are a part of a buffer twice as large, all of which they would retain.
    var compact: Bytes { storageCapacity > 2 * readableBytes + 256 ? Bytes(buffer: self) : self }
}

extension Body {
    /// Whether parts of it are in files.
    var hasFiles: Bool {
        segments.contains { if case .file = $0 { true } else { false } }
    }
}

extension Int64 {
    fileprivate func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

extension BodyProducer {
    fileprivate func recorded(by collector: BodyCollector) -> BodyProducer {
        var recorded = BodyProducer(length: length, isReplayable: isReplayable) { [makeReader] in
            let reader = try makeReader()
            collector.begin()
            return {
                let piece = try await reader()
                if let piece { collector.add(piece) }
                return piece
            }
        }
        recorded.estimatedLength = estimatedLength
        return recorded
    }
}

extension Recorder.Limits {
    /// Whether the bytes of a body of a media type are kept.
    func keeps(_ mediaType: String?) -> Bool {
        bodyBytes > 0 && (keepsBinaryBodies || mediaType.flatMap { MediaType($0) }?.isTextual == true)
    }
}

/// A response's body that is recorded as it passes.
final class RecordedResponseBody: BodyStream {
    private let base: ClaimedBody
    private let transfer: RecordedTransfer

    init(_ body: ResponseBody, of transfer: RecordedTransfer) { (base, self.transfer) = (ClaimedBody(body), transfer) }

    func next() async throws -> Bytes? {
        do {
            guard let piece = try await base.next() else {
                transfer.ended(base.trailers)
                return nil
            }
            transfer.passed(piece)
            return piece
        } catch {
            transfer.failed(error)
            throw error
        }
    }

    func cancel() { base.cancel() }

    var length: Int64? { base.length }
    var trailers: HTTPFields? { base.trailers }
}
