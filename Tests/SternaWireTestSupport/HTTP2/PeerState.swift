import NIOCore
import NIOHPACK

@testable import SternaTestSupport

/// The received frames of a peer's connection, and the state that follows from them.
struct PeerState: Sendable {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    static let receivedLimit = 1 << 20
    static let initialWindow = 65_535

    private struct Block {
        let start: Int
        let stream: UInt32
        let endStream: Bool
        var bytes: [UInt8]
        var frameCount = 1
    }

    private(set) var received: [UInt8] = []
    private(set) var log: [WireFrame] = []
    private(set) var clientSettings: [UInt16: UInt32] = [:]
    private(set) var requestCount = 0
    /// The streams that the client has ended.
    private(set) var ended: Set<UInt32> = []
    private(set) var resets: [UInt32: WireFrame.Code] = [:]
    private(set) var trailers: [UInt32: [(String, String)]] = [:]
    /// Why a block could not be decoded; later blocks cannot be decoded, either.
    private(set) var failure: String?
    var isClosed = false
    var answersPings = true
    var patience: Duration = .seconds(100)
    /// Whether SETTINGS are acknowledged at once.
    var acksSettings = false
    var scriptHasEnded = false
    /// Whether anything was sent: a server's first frame is its SETTINGS (RFC 9113 §3.4), so that acknowledgements wait for it.
    var hasSpoken = false
    /// The number of writes in pieces under way, which no acknowledgement may interrupt.
    var splitWrites = 0

    private var prefaceCount = 0
    private(set) var hasWrongPreface = false
    private var parser = WireFrameParser()
    private var decoder = HPACKDecoder(
        allocator: ByteBufferAllocator(), maxDynamicTableSize: 4096, maxHeaderListSize: 64 << 20)
    private var block: Block?
    private var requests: [(start: Int, request: PeerRequest)] = []
    private var opened: Set<UInt32> = []
    /// The places in the log of frames that the script has not taken.
    private var pending: [Int] = []
    private var credit: [UInt32: Int] = [:]
    private var sent: [UInt32: Int] = [:]
    private var heldReplies: [WireFrame] = []
    /// The table sizes of SETTINGS without an acknowledgement so far; nil for those without one.
    private var announcedTables: [Int?] = []

    var hasPreface: Bool { prefaceCount == Self.preface.count }

    // MARK: Receiving

    /// Takes received bytes; returns the frames to send at once.
    mutating func take(_ bytes: [UInt8]) -> [WireFrame] {
        received += bytes.prefix(Self.receivedLimit - received.count)
        let first = bytes.prefix(Self.preface.count - prefaceCount)
        if !hasWrongPreface, first.elementsEqual(Self.preface[prefaceCount...].prefix(first.count)) {
            prefaceCount += first.count
        } else {
            hasWrongPreface = true
        }
        guard !hasWrongPreface else { return [] }
        parser.append(bytes.dropFirst(first.count))
        while let frame = parser.next() {
            log.append(frame)
            pending.append(log.count - 1)
            note(frame)
        }
        return replies()
    }

    /// The acknowledgements that can be sent now.
    mutating func replies() -> [WireFrame] {
        guard hasSpoken, splitWrites == 0 else { return [] }
        defer { heldReplies = [] }
        return heldReplies
    }

    private mutating func note(_ frame: WireFrame) {
        switch frame.kind {
        case .settings where frame.isAck:
            guard !announcedTables.isEmpty, let size = announcedTables.removeFirst() else { return }
            decoder.maxDynamicTableLength = size
        case .settings:
            for (identifier, value) in frame.settings { clientSettings[identifier] = value }
            if acksSettings { heldReplies.append(.settingsAck) }
        case .ping where !frame.isAck && answersPings:
            heldReplies.append(.ping(frame.payload, ack: true))
        case .windowUpdate:
            credit[frame.stream, default: 0] += Int(frame.increment ?? 0)
        case .reset:
            resets[frame.stream] = frame.code ?? .noError
        case .headers:
            block = Block(
                start: log.count - 1, stream: frame.stream, endStream: frame.endsStream, bytes: frame.content)
            if frame.endsHeaders { endBlock() }
        case .continuation:
            block?.bytes += frame.content
            block?.frameCount += 1
            if frame.endsHeaders { endBlock() }
        case .data where frame.endsStream:
            ended.insert(frame.stream)
        default:
            break
        }
    }

    private mutating func endBlock() {
        guard let block, failure == nil else { return }
        self.block = nil
        if block.endStream { ended.insert(block.stream) }
        var buffer = ByteBuffer(bytes: block.bytes)
        do {
            let decoded = try decoder.decodeHeaders(from: &buffer)
            let fields = decoded.map { ($0.name, $0.value) }
            guard opened.insert(block.stream).inserted else {
                trailers[block.stream] = fields
                return
            }
            var neverIndexed: [String] = []
            for field in decoded {
                if case .neverIndexed = field.indexable { neverIndexed.append(field.name) }
            }
            let request = PeerRequest(
                stream: block.stream, fields: fields, endStream: block.endStream, neverIndexed: neverIndexed,
                block: block.bytes, frameCount: block.frameCount)
            requests.append((block.start, request))
            requestCount += 1
        } catch {
            failure = "the block of stream \(block.stream) cannot be decoded: \(error)"
        }
    }

    // MARK: Taking

    /// Takes the first matching frame of those not taken.
    mutating func next(_ fits: (WireFrame) -> Bool) -> WireFrame? {
        guard let place = pending.firstIndex(where: { fits(log[$0]) }) else { return nil }
        let index = pending.remove(at: place)
        requests.removeAll { $0.start == index }
        return log[index]
    }

    /// Takes the first request not taken, with its frames.
    mutating func nextRequest() -> PeerRequest? {
        guard !requests.isEmpty else { return nil }
        let (start, request) = requests.removeFirst()
        // Its frames are contiguous (RFC 9113 §6.10).
        pending.removeAll { (start..<start + request.frameCount).contains($0) }
        return request
    }

    // MARK: Sending

    /// Records sent frames, for the windows and the decoder's table.
    mutating func note(sent frames: [WireFrame]) {
        for frame in frames {
            switch frame.kind {
            case .data:
                sent[0, default: 0] += frame.payload.count
                sent[frame.stream, default: 0] += frame.payload.count
            case .settings where !frame.isAck:
                let size = frame.settings.last { $0.0 == WireFrame.Setting.headerTableSize }.map { Int($0.1) }
                // The client may use a larger table as soon as it has received SETTINGS, and must reduce its table only
                // with its acknowledgement.
                if let size { decoder.maxDynamicTableLength = max(size, decoder.maxDynamicTableLength) }
                announcedTables.append(size)
            default:
                break
            }
        }
    }

    /// The number of bytes of DATA for which the client's windows have room (RFC 9113 §6.9); negative if they are overdrawn.
    func room(_ stream: UInt32) -> Int {
        let initial = clientSettings[WireFrame.Setting.initialWindowSize].map(Int.init) ?? Self.initialWindow
        let connection = Self.initialWindow + (credit[0] ?? 0) - (sent[0] ?? 0)
        return min(connection, initial + (credit[stream] ?? 0) - (sent[stream] ?? 0))
    }

    var maximumFrame: Int { clientSettings[WireFrame.Setting.maxFrameSize].map(Int.init) ?? 16_384 }
}
