import NIOCore
import SternaCore

/// For how long a connection is used; what holds for HTTP/1 and HTTP/2.
struct ConnectionLife {
    private let born: NIODeadline
    private let maximumAge: TimeAmount?
    private let maximumUses: Int?

    init(_ options: EngineOptions, from born: NIODeadline) {
        self.born = born
        maximumAge = options.maximumAge.map { TimeAmount(clamping: $0) }
        maximumUses = options.maximumUses
    }

    /// Whether it has become as old as it may, or has been used as often.
    func isOver(after uses: Int, at now: @autoclosure () -> NIODeadline) -> Bool {
        if let maximumUses, uses >= maximumUses { return true }
        guard let maximumAge else { return false }
        return now() - born >= maximumAge
    }

    /// Until when it is kept while nobody uses it.
    func idleLimit(since used: NIODeadline, patience: TimeAmount) -> NIODeadline {
        let limit = used + patience
        return maximumAge.map { min(limit, born + $0) } ?? limit
    }
}
