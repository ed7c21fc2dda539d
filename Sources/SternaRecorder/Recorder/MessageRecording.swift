public import NIOCore
public import SternaCore
public import SternaPlatform
import SternaSerialization

extension Recorder {
    /// A message of a WebSocket, or a server-sent event.
    public struct Message: Sendable, Hashable {
        /// What a message is.
        public enum Kind: Sendable, Hashable {
            /// A text message of a WebSocket.
            case text
            /// A binary message of a WebSocket.
            case binary
            /// A server-sent event with its type and the last event ID.
            case event(type: String, id: String)
        }

        /// What the message is.
        public let kind: Kind

        /// Whether the client sent it.
        public let isSent: Bool

        /// When it went or came, the last of its fragments.
        public let time: Date

        /// The number of bytes.
        public let size: Int

        /// The bytes; nil if there are more than the recorder keeps of a body, and of binary messages unless it keeps binary bodies.
        public let bytes: Bytes?
    }
}

extension Recorder.Message: CustomReflectable {
    /// Shows the size; the bytes may hold secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["isSent": isSent, "time": time, "size": size], displayStyle: .struct)
    }
}

/// The latest messages of a call, within the limits of its recorder.
struct MessageRecording: Sendable {
    /// A message of which fragments are missing.
    private struct Partial: Sendable {
        var bytes: Bytes? = Bytes()
        var size = 0
        /// The bytes that were taken from the budget.
        var taken = 0

        /// Appends a fragment, or discards all of them beyond the limits.
        mutating func join(_ fragment: Bytes, _ budget: RecordingBudget, _ limits: Recorder.Limits) {
            guard bytes != nil else { return }
            let count = fragment.readableBytes
            if count <= limits.bodyBytes - taken, budget.take(count, of: .body) {
                bytes?.writeImmutableBuffer(fragment)
                taken += count
            } else {
                budget.release(taken)
                (bytes, taken) = (nil, 0)
            }
        }
    }

    /// The maximum number of messages of a call.
    static let mostMessages = 10_000

    private(set) var messages = CircularBuffer<Recorder.Message>()
    private var partial: (sent: Partial?, received: Partial?)
    private var total = 0

    /// The bytes that were taken for messages whose last fragment is missing.
    var unfinished: Int { (partial.sent?.taken ?? 0) + (partial.received?.taken ?? 0) }

    /// Records a message. The oldest ones of the call are removed beyond 10,000 of them or a quarter of the recorder's bytes.
    mutating func add(_ message: StreamMessage, _ budget: RecordingBudget, _ limits: Recorder.Limits) {
        switch message {
        case .webSocket(let isSent, let isText, let bytes, let isFirst, let isLast):
            let path = isSent ? \MessageRecording.partial.sent : \MessageRecording.partial.received
            // Taken out, since a second reference would cause a copy with each fragment.
            var whole = self[keyPath: path].take() ?? Partial()
            if isFirst {
                budget.release(whole.taken)
                whole = Partial()
            }
            whole.size += bytes.readableBytes
            // As of bodies: what is in binary messages cannot be searched for secrets.
            if !isText, !limits.keepsBinaryBodies {
                whole.bytes = nil
            } else if isFirst, isLast {
                whole.bytes = bytes.readableBytes <= limits.bodyBytes ? bytes.compact : nil
            } else {
                whole.join(bytes, budget, limits)
            }
            self[keyPath: path] = isLast ? nil : whole
            guard isLast else { return }
            budget.release(whole.taken)
            add(
                Recorder.Message(
                    kind: isText ? .text : .binary, isSent: isSent, time: Date(), size: whole.size, bytes: whole.bytes),
                budget, limits)
        case .event(let type, let id, let data):
            let size = data.utf8.count
            add(
                Recorder.Message(
                    kind: .event(type: type, id: id), isSent: false, time: Date(), size: size,
                    bytes: size <= limits.bodyBytes ? Bytes(text: data) : nil), budget, limits)
        }
    }

    private mutating func add(_ message: Recorder.Message, _ budget: RecordingBudget, _ limits: Recorder.Limits) {
        let size = message.memory
        while messages.count >= Self.mostMessages || !messages.isEmpty && total > max(0, limits.bytes) / 4 - size {
            removeOldest(budget)
        }
        while !budget.take(size, of: .body) {
            guard !messages.isEmpty else { return }
            removeOldest(budget)
        }
        total += size
        messages.append(message)
    }

    private mutating func removeOldest(_ budget: RecordingBudget) {
        guard let oldest = messages.popFirst() else { return }
        total -= oldest.memory
        budget.release(oldest.memory)
    }
}

extension Recorder.Message {
    /// The approximate size in memory.
    var memory: Int {
        let own = 128 + (bytes?.readableBytes ?? 0)
        guard case .event(let type, let id) = kind else { return own }
        return own + type.utf8.count + id.utf8.count
    }

    /// The message as browsers write it, with its size if its bytes were not kept.
    var document: HARDocument.Message {
        let seconds = time.timeIntervalSince1970
        var message =
            switch kind {
            case .text: HARDocument.Message(isSent: isSent, time: seconds, text: bytes?.text ?? "")
            case .binary: HARDocument.Message(isSent: isSent, time: seconds, bytes: bytes?.array ?? [])
            case .event(let type, let id):
                HARDocument.Message(event: type, id: id, time: seconds, data: bytes?.text ?? "")
            }
        if bytes == nil { message.json["_size"] = JSON(size) }
        return message
    }

    init(_ message: HARDocument.Message, isEvent: Bool) {
        if isEvent {
            kind = .event(type: message.json["eventName"].string ?? "", id: message.json["eventId"].string ?? "")
        } else {
            kind = message.opcode == 2 ? .binary : .text
        }
        isSent = message.isSent
        time = Date(timeIntervalSince1970: min(message.time, 253_402_300_799))
        let omitted = message.json["_size"].int
        let known = omitted == nil ? message.bytes : nil
        size = max(0, omitted ?? known?.count ?? 0)
        bytes = known.map { Bytes(copying: $0) }
    }
}
