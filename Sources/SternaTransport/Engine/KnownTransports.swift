/// The transports of an engine, one for each configuration: those that somebody has, and the ones asked for last.
///
/// Programs have a handful of configurations, and make sessions of them again and again; those are kept. One that makes new
/// ones without end keeps them alive itself for as long as it uses them.
struct KnownTransports {
    private struct WeakTransport {
        weak var transport: EngineTransport?
    }

    private static let keptCount = 64

    // The one asked for last at the end.
    private var kept: [EngineTransport] = []
    private var inUse: [EngineTransport.Configuration: WeakTransport] = [:]
    private var sweepAt = 64

    mutating func find(_ configuration: EngineTransport.Configuration) -> EngineTransport? {
        if let position = kept.lastIndex(where: { $0.configuration == configuration }) {
            let known = kept[position]
            if position < kept.count - 1 {
                kept.remove(at: position)
                kept.append(known)
            }
            return known
        }
        guard !inUse.isEmpty, let known = inUse[configuration]?.transport else { return nil }
        if !configuration.isOwn { keep(known) }
        return known
    }

    mutating func add(_ transport: EngineTransport) {
        // Nobody can ask again for one with closures but by the session that has it.
        if transport.configuration.isOwn { remember(transport) } else { keep(transport) }
    }

    private mutating func keep(_ transport: EngineTransport) {
        if kept.count >= Self.keptCount { remember(kept.removeFirst()) }
        kept.append(transport)
    }

    private mutating func remember(_ transport: EngineTransport) {
        if inUse.count >= sweepAt {
            inUse = inUse.filter { $0.value.transport != nil }
            sweepAt = max(64, 2 * inUse.count)
        }
        inUse[transport.configuration] = WeakTransport(transport: transport)
    }

    mutating func forget() { kept = [] }
}
