import Sterna

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The memory of connections that are open and silent: `Held KIND URL COUNT [--ca FILE]`, KIND is `idle`, `events`,
/// `sockets` or `compressed`.
///
/// Prints the bytes of a connection, as the growth of the program's resident memory over COUNT of them.
@main
struct Held {
    static func main() async throws {
        var words = CommandLine.arguments.dropFirst()
        guard let kind = words.popFirst(), let text = words.popFirst(), let number = words.popFirst(),
            let count = Int(number), count > 0
        else {
            return print("usage: Held idle|events|sockets|compressed URL COUNT [--ca FILE]")
        }
        var options = EngineOptions()
        options.maximumConnections = count + 64
        options.maximumConnectionsPerOrigin = count + 64
        options.idleTimeout = .seconds(3_600)
        let authorities = words.popFirst() == "--ca" ? words.popFirst() : nil
        let session = try Session {
            $0.network.engine = Engine(options: options)
            $0.timeout = .seconds(600)
            if let authorities { $0.trust.policy = .authority(file: authorities) }
        }
        let url = try HTTPURL(text)
        let holder = Holder()
        // What all connections share is there before the first measure.
        try await open(kind, url, 32, session, holder)
        let before = try resident()
        try await open(kind, url, count + (kind == "idle" ? 32 : 0), session, holder)
        try await Task.sleep(for: .seconds(1))
        let bytes = (try resident() - before) / count
        print("\(kind): \(bytes) bytes each, \(count) connections")
        await holder.release()
    }

    private static func open(
        _ kind: String, _ url: HTTPURL, _ count: Int, _ session: Session, _ holder: Holder
    ) async throws {
        switch kind {
        case "idle": try await session.warmUp(url, connections: count)
        case "events":
            // A batch at a time, so that the server's queue of connections does not overflow.
            for batch in batches(count) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<batch { group.addTask { try await holder.openStream(session, url) } }
                    try await group.waitForAll()
                }
            }
        default:
            for batch in batches(count) {
                try await withThrowingTaskGroup(of: WebSocket.self) { group in
                    for _ in 0..<batch {
                        group.addTask { try await session.webSocket(url) { $0.compresses = kind == "compressed" } }
                    }
                    for try await socket in group { await holder.keep(socket) }
                }
            }
        }
    }

    private static func batches(_ count: Int) -> [Int] {
        stride(from: 0, to: count, by: 32).map { min(32, count - $0) }
    }

    /// The resident memory of this program, in bytes.
    private static func resident() throws -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { throw Failed() }
        defer { fclose(file) }
        var line = [UInt8](repeating: 0, count: 256)
        let length = fread(&line, 1, line.count, file)
        let fields = String(decoding: line.prefix(length), as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { throw Failed() }
        return pages * Int(getpagesize())
    }
}

private struct Failed: Error {}

/// Keeps what is open until the end.
private actor Holder {
    private var sockets: [WebSocket] = []
    private var readers: [Task<Void, any Error>] = []

    func keep(_ socket: WebSocket) { sockets.append(socket) }

    /// Opens an event stream, and returns when the server has accepted it.
    func openStream(_ session: Session, _ url: HTTPURL) async throws {
        let (opened, signal) = AsyncStream.makeStream(of: Void.self)
        readers.append(
            Task {
                for try await update in session.events(url, { $0.reconnects = false }).updates {
                    if case .opened = update { signal.finish() }
                }
            })
        for await _ in opened {}
    }

    func release() {
        for reader in readers { reader.cancel() }
        for socket in sockets { socket.cancel() }
    }
}
