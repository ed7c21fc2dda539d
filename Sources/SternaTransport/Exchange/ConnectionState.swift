/// The stage of a connection's life, from its dial to its end.
enum ConnectionState {
    /// The dial is still under way and holds the permit.
    case dialling

    /// The connection holds its permit, and carries exchanges or stands idle.
    case open

    /// It takes no exchanges any more, and its channel closes; `holdsPermit` once the dial has succeeded.
    case closing(holdsPermit: Bool)

    /// The channel is gone.
    case closed

    /// Whether it takes no exchanges any more.
    var isClosing: Bool {
        switch self {
        case .dialling, .open: false
        case .closing, .closed: true
        }
    }

    /// The dial has succeeded; returns false where the channel is gone already.
    mutating func establish() -> Bool {
        switch self {
        case .dialling: self = .open
        case .closing: self = .closing(holdsPermit: true)
        case .open: break
        case .closed: return false
        }
        return true
    }

    /// The channel is to be closed.
    mutating func beginClosing() {
        switch self {
        case .dialling: self = .closing(holdsPermit: false)
        case .open: self = .closing(holdsPermit: true)
        case .closing, .closed: break
        }
    }

    /// The channel is gone; returns whether a permit is to be given back, which is so once.
    mutating func end() -> Bool {
        defer { self = .closed }
        return switch self {
        case .open, .closing(holdsPermit: true): true
        case .dialling, .closing(holdsPermit: false), .closed: false
        }
    }
}
