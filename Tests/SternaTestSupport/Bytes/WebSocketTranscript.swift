import NIOCore
import SternaCore
import SternaSerialization

/// What a WebSocket reader makes of bytes: messages that are complete, control frames, and the end.
struct WebSocketTranscript: Hashable, CustomStringConvertible {
    enum Item: Hashable {
        case text(String)
        case binary([UInt8])
        case ping(String)
        case pong(String)
        case close(UInt16?, String)
    }

    var items: [Item] = []
    var fault: WebSocketFault?
    /// The sizes of the parts of messages.
    var parts: [Int] = []
    /// Whether each part began, continued and ended its message as the one before it allows.
    var isOrderly = true

    private var openKind: WebSocketKind?
    private var openBytes: [UInt8] = []

    init(_ items: [Item] = [], fault: UInt16? = nil) {
        self.items = items
        self.fault = fault.map { WebSocketFault(code: $0, detail: "") }
    }

    /// Reads pieces, each to its end.
    init(_ pieces: some Sequence<some Collection<UInt8>>, by reader: WebSocketReader) {
        var reader = reader
        for piece in pieces {
            reader.append(Bytes(bytes: piece))
            take(&reader)
        }
    }

    /// Reads bytes in pieces of a size, up to a fault.
    init(_ bytes: [UInt8], pieceSize: Int, by reader: WebSocketReader) {
        var reader = reader
        var rest = Bytes(bytes: bytes)
        while fault == nil, let piece = rest.readSlice(length: min(max(1, pieceSize), rest.readableBytes)),
            !piece.isEmpty
        {
            reader.append(piece)
            take(&reader)
        }
    }

    /// Takes all events of a reader.
    mutating func take(_ reader: inout WebSocketReader) {
        do {
            while let event = try reader.next() { add(event) }
        } catch {
            fault = error
        }
    }

    private mutating func add(_ event: WebSocketReader.Event) {
        switch event {
        case .content(let kind, let bytes, let isFirst, let isLast):
            parts.append(bytes.readableBytes)
            if isFirst != (openKind == nil) || openKind.map({ $0 != kind }) == true { isOrderly = false }
            openKind = kind
            bytes.withUnsafeReadableBytes { openBytes.append(contentsOf: $0) }
            guard isLast else { return }
            items.append(kind == .text ? .text(String(decoding: openBytes, as: UTF8.self)) : .binary(openBytes))
            if kind == .text, String(validating: openBytes, as: UTF8.self) == nil { isOrderly = false }
            (openKind, openBytes) = (nil, [])
        case .ping(let bytes): items.append(.ping(bytes.text))
        case .pong(let bytes): items.append(.pong(bytes.text))
        case .close(let code, let reason): items.append(.close(code, reason))
        }
    }

    /// Whether two readings have the same items and the same fault, whatever the parts were.
    func matches(_ other: WebSocketTranscript) -> Bool {
        items == other.items && fault?.code == other.fault?.code && isOrderly && other.isOrderly
    }

    var description: String {
        let shown = "\(items)"
        return
            "\(shown.prefix(500))\(isOrderly ? "" : " in disorder")\(fault.map { " \($0.code): \($0.detail)" } ?? "")"
    }
}
