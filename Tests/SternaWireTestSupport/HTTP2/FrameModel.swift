import NIOCore
import NIOHPACK

/// A server of HTTP/2 that keeps every rule, as a value without I/O: its frames, the part that was
/// delivered, and the client's frames. It records the rules that the client breaks.
struct FrameModel {
    struct Stream {
        let number: Int
        let length: Int
        var received = 0
        var clientHasEnded = false
        var clientHasReset = false
        var hasHead = false
        var serverHasEnded = false
        var serverHasReset = false

        /// Whether the client has received the end of the stream, or its reset.
        var endIsKnown = false
        var resetIsKnown = false

        /// In bytes: WINDOW_UPDATE of the server, and of the client; DATA that the server has sent, and the content of that.
        var granted = 0
        var credit = 0
        var sent = 0
        var content = 0

        var isClosed: Bool {
            clientHasReset || serverHasReset || clientHasEnded && serverHasEnded
        }

        /// Whether the client may no longer send on the stream.
        var isOver: Bool { clientHasReset || resetIsKnown || clientHasEnded && endIsKnown }
    }

    struct Settings {
        var streams = 100
        var window = 65_535
        var frame = 16_384
        var table: Int? = nil
    }

    /// Bytes on their way, and the frame that the client has received with the last of them.
    private struct Outgoing {
        var bytes: ArraySlice<UInt8>
        var frame: WireFrame
    }

    private(set) var streams: [UInt32: Stream] = [:]
    private(set) var violations: [String] = []
    private(set) var goAwayIsKnown = false
    private(set) var lastTaken: UInt32?
    private(set) var pingsSent = 0
    private(set) var pingsAnswered = 0
    private(set) var settingsSent = 0
    private(set) var clientHasSaidGoodbye = false
    private(set) var opened = 0

    /// Whether the client's writes are delayed, so that its frames may be older than those that it has received.
    var isHeld = false

    /// The streams of the last delivered frames: a client's frame may have crossed them.
    private var fresh: Set<UInt32> = []
    private var queue: [Outgoing] = []
    private var parser = WireFrameParser()
    private var prefaceLeft = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)[...]
    private var decoder = HPACKDecoder(
        allocator: ByteBufferAllocator(), maxDynamicTableSize: 4_096, maxHeaderListSize: 1 << 20)
    private var block: (stream: UInt32, ends: Bool, bytes: [UInt8])?
    private var highest: UInt32 = 0

    /// The settings that the client has acknowledged, and those that it may have received since, oldest first.
    private var acknowledged = Settings()
    private var announced: [Settings] = []
    private var granted = 0
    private var received = 0
    private var credit = 0
    private var sent = 0
    private var clientWindow = 65_535
    private let source: [UInt8]

    init(source: [UInt8]) { self.source = source }

    var hasOutgoing: Bool { !queue.isEmpty }
    var outgoingBytes: Int { queue.reduce(0) { $0 + $1.bytes.count } }
    var settingsAreAcknowledged: Bool { announced.isEmpty }

    /// The streams on which the server may still send.
    var answerable: [UInt32] { streams.filter { !$0.value.isClosed && !$0.value.serverHasEnded }.keys.sorted() }
    var unfinished: [UInt32] { streams.filter { !$0.value.isClosed }.keys.sorted() }

    /// The last frames that were delivered (>) and received (<).
    private(set) var history: [String] = []

    mutating func note(_ text: String) {
        history.append(text)
        if history.count > 80 { history.removeFirst(40) }
    }

    private mutating func violates(_ text: String) { violations.append(text) }

    /// The place in the source at which a body begins.
    static func place(_ number: Int) -> Int { number * 7_919 % 500_000 }

    // MARK: Sending

    mutating func say(_ frames: [WireFrame]) {
        for frame in frames { queue.append(Outgoing(bytes: frame.bytes[...], frame: frame)) }
    }

    mutating func announce(_ change: (inout Settings) -> Void) {
        var next = announced.last ?? acknowledged
        next.table = nil
        change(&next)
        announced.append(next)
        settingsSent += 1
        if let table = next.table { decoder.maxDynamicTableLength = max(table, decoder.maxDynamicTableLength) }
        var list: [(UInt16, UInt32)] = [
            (WireFrame.Setting.maxConcurrentStreams, UInt32(next.streams)),
            (WireFrame.Setting.initialWindowSize, UInt32(next.window)),
            (WireFrame.Setting.maxFrameSize, UInt32(next.frame)),
        ]
        if let table = next.table { list.append((WireFrame.Setting.headerTableSize, UInt32(table))) }
        let held = queue
        if settingsSent == 1 { queue = [] }
        say([.settings(list)])
        // A server's first frame is its SETTINGS (RFC 9113, 3.4); nothing was delivered before.
        if settingsSent == 1 { queue += held }
    }

    mutating func grant(_ stream: UInt32, _ bytes: Int) {
        if stream == 0 { granted += bytes } else { streams[stream]?.granted += bytes }
        say([.windowUpdate(stream, UInt32(bytes))])
    }

    mutating func ping(_ number: UInt8) {
        pingsSent += 1
        say([.ping([UInt8](repeating: number, count: 8))])
    }

    mutating func goAway(last: UInt32, code: WireFrame.Code) {
        lastTaken = min(last, lastTaken ?? last)
        say([.goAway(last: last, code: code)])
        for id in streams.keys where id > last { streams[id]?.serverHasReset = true }
    }

    mutating func reset(_ stream: UInt32, _ code: WireFrame.Code) {
        streams[stream]?.serverHasReset = true
        say([.reset(stream, code)])
    }

    mutating func head(_ stream: UInt32, _ fields: [(String, String)], end: Bool, pieces: Int) {
        streams[stream]?.hasHead = true
        if end { streams[stream]?.serverHasEnded = true }
        section(stream, fields, end: end, pieces: pieces)
    }

    mutating func section(_ stream: UInt32, _ fields: [(String, String)], end: Bool = false, pieces: Int = 1) {
        let block = HeaderBlock.encode(fields, indexed: true)
        let size = max(1, block.count / pieces)
        var frames: [WireFrame] = []
        var start = 0
        while start < block.count {
            let stop = frames.count == pieces - 1 ? block.count : min(block.count, start + size)
            let piece = Array(block[start..<stop])
            start = stop
            let isLast = start >= block.count
            frames.append(
                frames.isEmpty
                    ? .headers(stream, piece, end: end, endHeaders: isLast)
                    : .continuation(stream, piece, endHeaders: isLast))
        }
        say(frames)
    }

    /// Sends as much content as the client's windows let through.
    mutating func data(_ stream: UInt32, _ wanted: Int, end: Bool, padding: UInt8?) {
        guard var state = streams[stream] else { return }
        let overhead = padding.map { Int($0) + 1 } ?? 0
        let room = min(clientWindow + state.credit - state.sent, 65_535 + credit - sent, 16_384)
        guard overhead <= room else { return }
        let count = max(0, min(wanted, room - overhead))
        let start = Self.place(Int(stream)) + state.content
        guard start + count <= source.count, count == wanted || !end else { return }
        sent += count + overhead
        state.sent += count + overhead
        state.content += count
        if end { state.serverHasEnded = true }
        streams[stream] = state
        say([.data(stream, Array(source[start..<start + count]), end: end, padding: padding)])
    }

    mutating func trailers(_ stream: UInt32) {
        streams[stream]?.serverHasEnded = true
        section(stream, [("x-behind", "\(stream)")], end: true)
    }

    /// Takes the next bytes to deliver, which need not be whole frames.
    mutating func deliver(_ most: Int) -> [UInt8] {
        if !isHeld { fresh = [] }
        var bytes: [UInt8] = []
        while bytes.count < most, var first = queue.first {
            let piece = first.bytes.prefix(most - bytes.count)
            bytes += piece
            first.bytes = first.bytes.dropFirst(piece.count)
            if first.bytes.isEmpty {
                queue.removeFirst()
                known(first.frame)
            } else {
                queue[0] = first
            }
        }
        return bytes
    }

    private mutating func known(_ frame: WireFrame) {
        note("> \(frame)")
        fresh.insert(frame.stream)
        if frame.kind == .goAway { fresh.formUnion(streams.keys) }
        if frame.endsStream, frame.kind == .data || frame.endsHeaders { streams[frame.stream]?.endIsKnown = true }
        switch frame.kind {
        case .reset: streams[frame.stream]?.resetIsKnown = true
        case .goAway:
            goAwayIsKnown = true
            for id in streams.keys where id > frame.lastStream ?? 0 { streams[id]?.resetIsKnown = true }
        case .continuation where frame.endsHeaders:
            if streams[frame.stream]?.serverHasEnded == true, queue.allSatisfy({ $0.frame.stream != frame.stream }) {
                streams[frame.stream]?.endIsKnown = true
            }
        default: break
        }
    }

    // MARK: Receiving

    mutating func take(_ bytes: [UInt8]) {
        var bytes = bytes[...]
        while let expected = prefaceLeft.first, let byte = bytes.first {
            if byte != expected { violates("the preface is wrong") }
            prefaceLeft.removeFirst()
            bytes.removeFirst()
        }
        parser.append(bytes)
        while let frame = parser.next() { take(frame) }
    }

    var hasHalfAFrame: Bool { parser.remainder > 0 || block != nil }

    private mutating func take(_ frame: WireFrame) {
        note("< \(frame)")
        if block != nil, frame.kind != .continuation { violates("\(frame) within a section") }
        let limits = announced + [acknowledged]
        if frame.payload.count > limits.map(\.frame).max() ?? 0 { violates("\(frame) is too long") }
        let mayCross = fresh.contains(frame.stream) && [.reset, .windowUpdate].contains(frame.kind)
        if let stream = streams[frame.stream], stream.isOver, !mayCross, frame.kind != .priority,
            frame.kind != .continuation
        {
            violates("\(frame) after the end of its stream")
        }
        if let stream = streams[frame.stream], stream.clientHasEnded, [.data, .headers].contains(frame.kind) {
            violates("\(frame) behind END_STREAM")
        }
        switch frame.kind {
        case .headers:
            block = (frame.stream, frame.endsStream, frame.content)
            if frame.endsHeaders { endBlock() }
        case .continuation:
            if block?.stream != frame.stream { violates("\(frame) of no section") }
            block?.bytes += frame.content
            if frame.endsHeaders { endBlock() }
        case .data: takeData(frame, limits)
        case .reset:
            guard streams[frame.stream] != nil else { return violates("\(frame) of no stream") }
            if frame.code != .cancel, frame.code != .noError { violates("\(frame), which nothing is the matter with") }
            streams[frame.stream]?.clientHasReset = true
        case .settings where frame.isAck:
            guard !announced.isEmpty else { return violates("nobody asked for \(frame)") }
            acknowledged = announced.removeFirst()
            if let table = acknowledged.table { decoder.maxDynamicTableLength = table }
        case .settings:
            for (identifier, value) in frame.settings where identifier == WireFrame.Setting.initialWindowSize {
                clientWindow = Int(value)
            }
            say([.settingsAck])
        case .ping where frame.isAck: pingsAnswered += 1
        case .ping: say([.ping(frame.payload, ack: true)])
        case .windowUpdate: takeCredit(frame)
        case .goAway:
            clientHasSaidGoodbye = true
            if frame.code != .noError { violates("\(frame): this side had kept all rules") }
        case .priority: break
        case .pushPromise, nil: violates("\(frame) from a client")
        }
    }

    private mutating func takeCredit(_ frame: WireFrame) {
        guard let more = frame.increment, more > 0 else { return violates("\(frame) of nothing") }
        if frame.stream == 0 {
            credit += Int(more)
            if 65_535 + credit - sent > 0x7FFF_FFFF { violates("the connection's window is too large") }
        } else if let stream = streams[frame.stream] {
            streams[frame.stream]?.credit += Int(more)
            if clientWindow + stream.credit + Int(more) - stream.sent > 0x7FFF_FFFF {
                violates("a window is too large")
            }
        } else {
            violates("\(frame) of no stream")
        }
    }

    private mutating func takeData(_ frame: WireFrame, _ limits: [Settings]) {
        guard var stream = streams[frame.stream] else { return violates("\(frame) of no stream") }
        let content = frame.content
        let start = Self.place(stream.number) + stream.received
        if stream.received + content.count > stream.length {
            violates("\(frame): more than the body")
        } else if ByteBuffer(bytes: content) != ByteBuffer(bytes: source[start..<start + content.count]) {
            violates("\(frame): not what the body is")
        }
        stream.received += frame.payload.count
        received += frame.payload.count
        if frame.payload.count > 0 {
            let window = (limits.map(\.window).max() ?? 0) + stream.granted
            if stream.received > window { violates("\(frame): \(stream.received) of \(window) in the stream's window") }
            if received > 65_535 + granted {
                violates("\(frame): \(received) of \(65_535 + granted) in the connection's")
            }
        }
        if frame.endsStream { end(&stream) }
        streams[frame.stream] = stream
    }

    private mutating func end(_ stream: inout Stream) {
        stream.clientHasEnded = true
        if stream.received != stream.length {
            violates("a body ended after \(stream.received) of \(stream.length) bytes")
        }
    }

    private mutating func endBlock() {
        guard let (id, ends, bytes) = block else { return }
        block = nil
        var buffer = ByteBuffer(bytes: bytes)
        guard let fields = try? decoder.decodeHeaders(from: &buffer) else {
            return violates("the fields of stream \(id) cannot be decoded")
        }
        guard streams[id] == nil else { return violates("fields behind a body that had none") }
        if id % 2 == 0 { violates("stream \(id) is even") }
        if id <= highest { violates("stream \(id) after stream \(highest)") }
        if goAwayIsKnown { violates("stream \(id) after GOAWAY") }
        highest = id
        opened += 1
        let open = streams.values.count { !$0.isClosed } + 1
        let most = (announced + [acknowledged]).map(\.streams).max() ?? 0
        if open > most { violates("stream \(id) is number \(open) of \(most)") }
        let words = fields.first(name: ":path")?.split(separator: "/") ?? []
        guard words.count == 2, let number = Int(words[0]), let length = Int(words[1]) else {
            return violates("the path of stream \(id) is not one that was asked for")
        }
        var stream = Stream(number: number, length: length)
        if let lastTaken, id > lastTaken { stream.serverHasReset = true }
        if ends { end(&stream) }
        streams[id] = stream
    }
}
