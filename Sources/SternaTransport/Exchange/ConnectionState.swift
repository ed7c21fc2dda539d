/// The stage of a connection's life, from its dial to its close.
enum ConnectionState {
    /// The dial is still in progress and holds the permit.
    case dialling

    /// The connection holds its permit, and carries exchanges or stands idle.
    case open

    /// The connection takes no new exchanges, and closes when those under way have ended; `holdsPermit` once the dial has
    /// succeeded.
    case retired(holdsPermit: Bool)

    /// The connection accepts no exchanges, and its channel closes; `holdsPermit` once the dial has succeeded.
    case closing(holdsPermit: Bool)

    /// The channel is gone.
    case closed

    /// Whether the channel closes or is gone.
    var isClosing: Bool {
        switch self {
        case .dialling, .open, .retired: false
        case .closing, .closed: true
        }
    }

    /// Whether the connection takes no new exchanges, but is not closing yet.
    var isRetired: Bool {
        if case .retired = self { true } else { false }
    }

    /// Records the dial's success. Returns false if the channel is already gone.
    mutating func establish() -> Bool {
        switch self {
        case .dialling: self = .open
        case .retired: self = .retired(holdsPermit: true)
        case .closing: self = .closing(holdsPermit: true)
        case .open: break
        case .closed: return false
        }
        return true
    }

    /// Records that the connection takes no new exchanges.
    mutating func retire() {
        switch self {
        case .dialling: self = .retired(holdsPermit: false)
        case .open: self = .retired(holdsPermit: true)
        case .retired, .closing, .closed: break
        }
    }

    /// Records that the channel is being closed.
    mutating func beginClosing() {
        switch self {
        case .dialling: self = .closing(holdsPermit: false)
        case .open: self = .closing(holdsPermit: true)
        case .retired(let holdsPermit): self = .closing(holdsPermit: holdsPermit)
        case .closing, .closed: break
        }
    }

    /// Records that the channel is gone. Returns, at most once, that the permit must be given back.
    mutating func end() -> Bool {
        defer { self = .closed }
        return switch self {
        case .open, .retired(holdsPermit: true), .closing(holdsPermit: true): true
        case .dialling, .retired(holdsPermit: false), .closing(holdsPermit: false), .closed: false
        }
    }
}
