/// The stage of a connection's life, from its dial to its close.
enum ConnectionState {
    /// The dial is still in progress and holds the permit.
    case dialling

    /// The connection holds its permit, and carries exchanges or stands idle.
    case open

    /// The connection accepts no exchanges, and its channel closes; `holdsPermit` once the dial has succeeded.
    case closing(holdsPermit: Bool)

    /// The channel is gone.
    case closed

    /// Whether the connection accepts no more exchanges.
    var isClosing: Bool {
        switch self {
        case .dialling, .open: false
        case .closing, .closed: true
        }
    }

    /// Records the dial's success. Returns false if the channel is already gone.
    mutating func establish() -> Bool {
        switch self {
        case .dialling: self = .open
        case .closing: self = .closing(holdsPermit: true)
        case .open: break
        case .closed: return false
        }
        return true
    }

    /// Records that the channel is being closed.
    mutating func beginClosing() {
        switch self {
        case .dialling: self = .closing(holdsPermit: false)
        case .open: self = .closing(holdsPermit: true)
        case .closing, .closed: break
        }
    }

    /// Records that the channel is gone. Returns, at most once, that the permit must be given back.
    mutating func end() -> Bool {
        defer { self = .closed }
        return switch self {
        case .open, .closing(holdsPermit: true): true
        case .dialling, .closing(holdsPermit: false), .closed: false
        }
    }
}
