/// The transports of an engine, one for each configuration: those in use, and the origins of the most recently requested ones.
///
/// Programs have a handful of configurations and create sessions from them repeatedly, so their origins are kept. A program that
/// keeps creating new configurations retains their transports itself while it uses them. A transport retains its engine, so the
/// engine retains no transport.
struct KnownTransports {
    private struct WeakTransport {
        weak var transport: EngineTransport?
    }

    private struct Kept {
        let origins: OriginTable
        weak var transport: EngineTransport?
    }

    private static let keptCount = 64

    // The most recently requested one is last.
    private var kept: [Kept] = []
    private var inUse: [EngineTransport.Configuration: WeakTransport] = [:]
    private var sweepAt = 64

    /// Returns the transport of a configuration, creating it if needed.
    mutating func transport(_ configuration: EngineTransport.Configuration, of engine: Engine) -> EngineTransport {
        if let position = kept.lastIndex(where: { $0.origins.configuration == configuration }) {
            let origins = kept[position].origins
            let transport = kept[position].transport ?? EngineTransport(engine: engine, origins: origins)
            if position < kept.count - 1 { kept.remove(at: position) } else { kept.removeLast() }
            kept.append(Kept(origins: origins, transport: transport))
            return transport
        }
        if !inUse.isEmpty, let known = inUse[configuration]?.transport {
            if !configuration.isOwn { keep(known) }
            return known
        }
        let made = EngineTransport(engine: engine, origins: OriginTable(configuration))
        // Only the session that has a configuration with closures can request it again.
        if configuration.isOwn { remember(made) } else { keep(made) }
        return made
    }

    private mutating func keep(_ transport: EngineTransport) {
        if kept.count >= Self.keptCount, let oldest = kept.removeFirst().transport { remember(oldest) }
        kept.append(Kept(origins: transport.origins, transport: transport))
    }

    private mutating func remember(_ transport: EngineTransport) {
        if inUse.count >= sweepAt {
            inUse = inUse.filter { $0.value.transport != nil }
            sweepAt = max(64, 2 * inUse.count)
        }
        inUse[transport.configuration] = WeakTransport(transport: transport)
    }

    /// Forgets the kept origins.
    mutating func forget() { kept = [] }
}
