import Sterna
import SternaPlatform
import SternaRecorder

/// The file of `--har`, with all exchanges of a command line.
struct HARRecording: Hashable, Sendable {
    /// The recorder of the command line that runs; nil without `--har`.
    @TaskLocal static var recorder: Recorder?

    let path: String

    /// Whether the file gets credentials.
    let showsSecrets: Bool

    /// Throws `UsageError` for a path that names no file.
    init(path: String, showsSecrets: Bool) throws(UsageError) {
        guard !path.isEmpty, path != "-" else {
            throw UsageError("--har takes the path of a file; tern har show FILE shows what is in it.")
        }
        // As with other files, a link that the user typed is followed.
        self.path = OutputFile.resolved(path)
        self.showsSecrets = showsSecrets
    }

    /// All bodies that browsers would keep, within a size that a document can be made of.
    private static var limits: Recorder.Limits {
        var limits = Recorder.Limits()
        limits.exchanges = 100_000
        limits.bytes = 256 << 20
        limits.keepsBinaryBodies = true
        return limits
    }

    /// Runs the requests, and then writes the file, also if they fail or are interrupted. Returns their exit status or throws their
    /// error; throws `OutputError` before, and `writeFailed` after requests that succeed, if the file cannot be written.
    func run(_ requests: () async throws -> Int32) async throws -> Int32 {
        try check()
        // A command that is interrupted still writes the file.
        SignalWatch.wait(seconds: DownloadJob.patience)
        let recorder = Recorder(limits: Self.limits)
        let result: Result<Int32, any Error>
        do {
            result = .success(try await Self.$recorder.withValue(recorder) { try await requests() })
        } catch {
            result = .failure(error)
        }
        // In a task of its own: that of a command that was interrupted is cancelled, and would not wait for the last events.
        let document = await Task { await recorder.har(includingSecrets: showsSecrets) }.value
        // A command line that is wrong, or asks for help, leaves an earlier file as it is.
        if case .failure = result, document.entries.isEmpty { return try result.get() }
        do {
            // The recorder has removed the secrets.
            try document.write(to: path, showsSecrets: true)
        } catch {
            guard case .success(ExitStatus.success) = result else {
                _ = Tern.report(error)
                return try result.get()
            }
            throw error
        }
        return try result.get()
    }

    /// Throws before anything is sent if the file cannot be written.
    private func check() throws {
        if let status = FileStatus(linkAt: path), !status.isRegular {
            if status.isDirectory { throw OutputError(name: path, code: EISDIR) }
            throw UsageError("--har takes the path of a file; “\(TerminalText.line(path))” is a device or a pipe.")
        }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard access(folder, W_OK | X_OK) == 0 else { throw OutputError(name: path, code: errno) }
    }
}
