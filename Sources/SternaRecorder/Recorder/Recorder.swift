import HTTPTypes
import Sterna
public import SternaCore
import Synchronization

/// Keeps the latest exchanges of the sessions that record to it: each as given, as sent and as received.
///
///     let recorder = Recorder()
///     let api = try Session(baseURL: "https://api.example.com") { $0.events.record(with: recorder) }
///     …
///     try await recorder.har().write(to: "api.har")
///
/// Several sessions may share one. `docs/HAR.md` has the table of what is recorded of which call.
public final class Recorder: Sendable {
    /// The limits of a recorder. The oldest exchanges are removed when one is exceeded.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of exchanges, at least 1; 1,000 by default.
        public var exchanges = 1_000

        /// The maximum size of all exchanges in bytes, heads and bodies; 64 MiB by default. Bodies of calls that still run
        /// have at most three quarters of it.
        public var bytes = 64 << 20

        /// The maximum size in bytes of a body that is kept; 1 MiB by default, and 0 for none. Of a larger body only the size is
        /// kept.
        public var bodyBytes = 1 << 20

        /// Whether to keep bodies that are not text by their media type, such as images, and binary messages of WebSockets; no by
        /// default.
        public var keepsBinaryBodies = false

        /// Makes limits with the default values.
        public init() {}
    }

    /// The recorder's limits.
    public let limits: Limits

    let memory: RecorderMemory
    private let folder: RecorderFolder?

    /// The number of ended calls whose events are not delivered yet.
    let finishing = Atomic<Int>(0)
    private let buffers = Mutex<[WeakBuffer]>([])

    private struct WeakBuffer: Sendable {
        weak var buffer: EventBuffer?
    }

    /// Makes a recorder in memory. Its exchanges have their secrets; ``har(includingSecrets:)`` removes them.
    public init(limits: Limits = Limits()) {
        (self.limits, memory, folder) = (limits, RecorderMemory(limits), nil)
    }

    /// Makes a recorder whose exchanges are also written to a folder, so that they outlive the program. It blocks the thread on the
    /// disk.
    ///
    /// A new recorder of the same folder has the earlier exchanges, as far as its limits permit. The folder is created if it does
    /// not exist, and only its owner can read it. One recorder at a time has a folder. Its files have up to twice the limit of bytes.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder, or a file `URL`.
    ///   - keepsSecrets: whether credentials are written to the folder; by default they are replaced by `***` there.
    /// - Throws: `writeFailed` if the folder cannot be used, or another recorder has it; `fileUnreadable` for a URL that is not a file
    ///   URL.
    public init(
        folder: some FileReference, limits: Limits = Limits(), keepsSecrets: Bool = false
    ) throws(SternaError) {
        (self.limits, memory) = (limits, RecorderMemory(limits))
        let files = try RecorderFolder(folder.filePath(), limits, keepsSecrets: keepsSecrets)
        for (exchange, size) in files.load() where memory.take(size, of: .heads) { memory.add(exchange, size: size) }
        self.folder = files
    }

    /// Returns the exchanges, oldest first: those of calls that have ended. A call that still runs follows when it has ended.
    public func exchanges() async -> [Exchange] {
        await settle()
        // Calls are added when they end.
        return memory.exchanges.enumerated().sorted { ($0.1.started, $0.0) < ($1.1.started, $1.0) }.map(\.1)
    }

    /// Removes all exchanges, also those in the folder. Those of running calls are recorded when they end.
    public func clear() async {
        await settle()
        memory.clear()
        await folder?.clear()
    }

    /// Returns the exchanges as a HAR document: an entry for each attempt, and one for a call that needed none.
    ///
    /// - Parameter includingSecrets: whether to keep credentials, which are replaced by `***` otherwise; see
    ///   ``HARDocument/redacted()``.
    public func har(includingSecrets: Bool = false) async -> HARDocument {
        var room = HARWriter.usualRoom
        return HARDocument(
            entries: await exchanges().flatMap { $0.entries(showsSecrets: includingSecrets, room: &room) })
    }

    /// Waits until everything that was recorded so far is in the folder.
    ///
    /// - Throws: `writeFailed` if an exchange could not be written since the last call.
    public func flush() async throws(SternaError) {
        await settle()
        try await folder?.flush()
    }

    func add(_ exchange: Exchange, size: Int) {
        memory.add(exchange, size: size)
        folder?.append(exchange, size: size)
    }

    /// Waits for the events of all calls that have ended, also in a Swift task that is cancelled.
    private func settle() async {
        let buffers = buffers.withLock { $0.compactMap(\.buffer) }
        // In a task of its own, as that of a cancelled one would not wait.
        await Task { for buffer in buffers { await buffer.flush() } }.value
    }
}

extension Recorder: SessionRecorder {
    package var observer: EventObserver {
        EventObserver(.network, standing: [], capture: { $0.contains(.network) ? RecordedCall(self) : nil }) { event in
            event.call?.context?.find(RecordedCall.self)?.receive(event)
        }
    }

    package var requests: any Interceptor { RecordingInterceptor() }

    package func begin(on buffer: EventBuffer) {
        buffers.withLock { buffers in
            buffers.removeAll { $0.buffer == nil || $0.buffer === buffer }
            buffers.append(WeakBuffer(buffer: buffer))
        }
    }
}
