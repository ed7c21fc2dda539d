/// The state of a conversation with the kernel: dumps of links, addresses and routes, and the changes that follow. A value
/// without I/O.
///
/// Messages of a dump and of changes come in order on one socket, so each is applied as it arrives. If changes may have been missed
/// (a full socket, an inconsistent dump, a change that the kernel does not announce), a new dump is requested.
struct NetlinkConversation {
    private enum Phase: CaseIterable {
        case links, addresses, routes

        var request: (type: UInt16, body: Int) {
            switch self {
            case .links: (NetlinkNumbers.Message.getLink, 16)
            case .addresses: (NetlinkNumbers.Message.getAddress, 8)
            case .routes: (NetlinkNumbers.Message.getRoute, 12)
            }
        }

        var next: Phase? {
            switch self {
            case .links: .addresses
            case .addresses: .routes
            case .routes: nil
            }
        }
    }

    /// The number of inconsistent dumps in a row after which one is accepted: under constant changes no dump would be consistent.
    private static let mostRestarts = 5

    /// EBUSY, as a negative number as in messages.
    private static let busy: Int32 = -16

    /// EINTR, EAGAIN, ENOMEM and ENOBUFS, as negative numbers as in messages: the same request may succeed later.
    private static let transientCodes: Set<Int32> = [-4, -11, -12, -105]

    /// The number of failures in a row after which no more dumps are requested.
    private static let mostFailures = 20

    /// The latest complete table; nil before the first one, and if the kernel refuses.
    private(set) var table: NetworkTable?

    private var fresh = NetworkTable()
    private var phase: Phase?
    private var sequence: UInt32 = 0
    private var restarts = 0
    private var failures = 0

    /// Whether a new dump is needed: at the beginning, and when changes may have been missed.
    private(set) var needsDump = true

    /// Whether the next dump has to be delayed, since the last one failed or was inconsistent.
    private(set) var needsPause = false

    /// Whether the kernel refuses dumps, as it does for Android apps.
    private(set) var isRefused = false

    init() {}

    /// Whether a dump is under way.
    var isDumping: Bool { phase != nil }

    /// Begins a dump; returns the request to send.
    mutating func begin() -> [UInt8] {
        needsDump = false
        fresh = NetworkTable()
        return ask(.links)
    }

    private mutating func ask(_ phase: Phase) -> [UInt8] {
        self.phase = phase
        sequence &+= 1
        let request = phase.request
        var writer = NetlinkWriter(
            request.type, flags: NetlinkNumbers.Flag.request | NetlinkNumbers.Flag.dump, sequence: sequence)
        writer.appendZeros(request.body)
        return writer.finished()
    }

    /// Processes a datagram from the kernel. Returns the next request, if there is one.
    mutating func receive(_ datagram: [UInt8]) -> [UInt8]? {
        var request: [UInt8]?
        for message in NetlinkMessage.messages(in: datagram) { request = receive(message) ?? request }
        return request
    }

    private mutating func receive(_ message: NetlinkMessage) -> [UInt8]? {
        let isAnswer = phase != nil && message.sequence == sequence
        if isAnswer, message.isInterrupted { needsDump = true }
        switch message.content {
        case .overrun:
            needsDump = true
        case .done(let code) where isAnswer && code < 0: fail(code)
        case .done where isAnswer: return advance()
        case .error(Self.busy) where isAnswer:
            // What is left of an earlier dump has to be received first.
            phase = nil
            needsDump = true
        case .error(let code) where isAnswer && code != 0: fail(code)
        default:
            if apply(message) { needsDump = true }
        }
        return nil
    }

    /// Handles the failure of the current dump. Its incomplete table is not used.
    private mutating func fail(_ code: Int32) {
        phase = nil
        failures += 1
        if Self.transientCodes.contains(code), failures <= Self.mostFailures {
            (needsDump, needsPause) = (true, true)
        } else {
            table = nil
            isRefused = true
        }
    }

    /// Ends the delay that ``needsPause`` has requested. Returns a request if a dump is needed.
    mutating func paused() -> [UInt8]? {
        needsPause = false
        return drained()
    }

    /// Applies a message to the table of the dump under way, or to the complete one. Until the dump is complete, readers see the
    /// old one.
    private mutating func apply(_ message: NetlinkMessage) -> Bool {
        phase != nil ? fresh.apply(message) : table?.apply(message) ?? false
    }

    private mutating func advance() -> [UInt8]? {
        guard let phase else { return nil }
        if needsDump, restarts < Self.mostRestarts {
            restarts += 1
            return begin()
        }
        if let next = phase.next { return ask(next) }
        (restarts, failures) = (0, 0)
        self.phase = nil
        table = fresh
        fresh = NetworkTable()
        // Under constant changes the next dump is delayed.
        needsPause = needsDump
        return nil
    }

    /// Handles the loss of messages, which may include the end of a dump. Messages that are still in the socket are older than the
    /// loss, so the new dump is requested after them.
    mutating func lost() {
        phase = nil
        needsDump = true
    }

    /// Handles an empty socket. Returns a request if a dump is needed.
    mutating func drained() -> [UInt8]? { phase == nil && needsDump && !needsPause && !isRefused ? begin() : nil }

    mutating func setWireless(_ isWireless: Bool, _ index: Int32) {
        table?.setWireless(isWireless, index)
        if phase != nil { fresh.setWireless(isWireless, index) }
    }
}
