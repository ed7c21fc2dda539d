public import SternaCore

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

        /// The maximum size of all exchanges in bytes, heads and bodies; 64 MiB by default. Those of calls that still run count, too.
        public var bytes = 64 << 20

        /// The maximum size in bytes of a body that is kept; 1 MiB by default, and 0 for none. Of a larger body only the size is
        /// kept.
        public var bodyBytes = 1 << 20

        /// Whether to keep bodies that are not text by their media type, such as images; no by default.
        public var keepsBinaryBodies = false

        /// Makes limits with the default values.
        public init() {}
    }

    /// The recorder's limits.
    public let limits: Limits

    /// Makes a recorder in memory. Its exchanges have their secrets; ``har(includingSecrets:)`` removes them.
    public init(limits: Limits = Limits()) { self.limits = limits }

    /// Makes a recorder whose exchanges are also written to a folder, so that they outlive the program.
    ///
    /// A new recorder of the same folder has the earlier exchanges. The folder is created if it does not exist. Only its owner can
    /// read it. One recorder at a time has a folder.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder, or a file `URL`.
    ///   - keepsSecrets: whether credentials are written to the folder; by default they are replaced by `***` there.
    /// - Throws: `writeFailed` if the folder cannot be created, or another recorder has it; `fileUnreadable`.
    public init(
        folder: some FileReference, limits: Limits = Limits(), keepsSecrets: Bool = false
    ) throws(SternaError) {
        self.limits = limits
        _ = try folder.filePath()
    }

    /// Returns the exchanges, oldest first: those of calls that have ended. A call that still runs follows when it has ended.
    public func exchanges() async -> [Exchange] { [] }

    /// Removes all exchanges, also those in the folder. Those of running calls are recorded when they end.
    public func clear() async {}

    /// Returns the exchanges as a HAR document: an entry for each attempt, and one for a call that needed none.
    ///
    /// - Parameter includingSecrets: whether to keep credentials, which are replaced by `***` otherwise; see
    ///   ``HARDocument/redacted()``.
    public func har(includingSecrets: Bool = false) async -> HARDocument { HARDocument() }

    /// Waits until everything that was recorded so far is in the folder.
    ///
    /// - Throws: `writeFailed` if an exchange could not be written since the last call.
    public func flush() async throws(SternaError) {}
}
