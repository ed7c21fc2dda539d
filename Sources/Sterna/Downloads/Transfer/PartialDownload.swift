import SternaCore
import SternaPlatform

/// A partial file and its sidecar. All functions wait for the disk; call them in ``BlockingWork``.
struct PartialDownload: Sendable {
    let file: PartialFile
    private let names: PartialNames?
    private let destination: String?

    /// Stores the state from which the download resumes; nil for a sidecar.
    let log: (any DownloadLog)?

    /// Makes the partial file of a destination, with a random name if the destination is unknown, or if another download to it is
    /// running. Throws `destinationUnusable` or `writeFailed`.
    init(
        _ plan: DestinationPlan, destination: String?, log: (any DownloadLog)? = nil
    ) throws(SternaError) {
        self.destination = destination
        self.log = log
        let shared = destination.map { path in log.map { "\(path).\($0.partialName)" } ?? path }
        if let shared, let own = PartialNames(destination: shared),
            let file = try PartialFile.open(own.partialPath, permissions: plan.partialPermissions)
        {
            self.file = file
            names = own
            return
        }
        for _ in 0..<10 {
            let suffix = String(UInt64.random(in: 0...UInt64.max), radix: 36)
            let path =
                destination.map { "\($0).\(suffix)" } ?? FilePaths.path("sterna-\(suffix)", in: plan.partialFolder)
            guard let other = PartialNames(destination: path) else { break }
            guard let file = try PartialFile.open(other.partialPath, permissions: plan.partialPermissions) else {
                continue
            }
            self.file = file
            names = other
            return
        }
        throw DestinationFault.exists(path: destination ?? plan.partialFolder).error(phase: .read)
    }

    private init(
        _ file: PartialFile, _ names: PartialNames?, _ destination: String?, _ log: (any DownloadLog)?
    ) {
        self.file = file
        self.log = log
        self.names = names
        self.destination = destination
    }

    /// Returns the partial file of an earlier download and its state; nil if none can be resumed.
    ///
    /// In a folder, where the server names the file, the sidecars say which partial file belongs to the URL.
    ///
    /// - Parameters:
    ///   - given: the caller's resume data; nil for that of the sidecar.
    ///   - url: the URL of the request, which must be the same.
    static func findEarlier(
        _ given: ResumeData?, url: HTTPURL, destination: String?, _ plan: DestinationPlan,
        log: (any DownloadLog)? = nil
    ) throws(SternaError) -> (PartialDownload, ResumeData)? {
        let given = given ?? plan.knownFolder.flatMap { ResumeSidecar.find(url, in: $0) }
        let names = (given?.destinationPath ?? destination).flatMap { PartialNames(destination: $0) }
        let path: String
        let data: ResumeData
        if let given {
            // Resume data may come from a file that another program has changed.
            guard PartialNames.isPartial(given.partialPath) else { return nil }
            data = given
            path = given.partialPath
        } else {
            // If the sidecar is unreadable, the download starts over instead of failing.
            guard let names, let read = try? ResumeSidecar.read(names, destination: destination) else { return nil }
            data = read
            path = names.partialPath
        }
        guard data.url == url.removingUserinfo().removingFragment(), access(path, F_OK) == 0,
            let file = try PartialFile.open(path, permissions: plan.partialPermissions)
        else { return nil }
        guard file.length >= data.present.end else { return nil }
        // If the destination is chosen after the transfer, the names are the partial file's own.
        let own = names.flatMap { $0.partialPath == path ? $0 : nil } ?? PartialNames(partialPath: path)
        return (PartialDownload(file, own, destination ?? given?.destinationPath, log), data)
    }

    /// Returns the data that resumes a download with this partial file.
    func data(url: HTTPURL, _ validator: EntityValidator, _ known: ResumeRule.Known) -> ResumeData {
        ResumeData(
            url: url, validator: validator, length: known.length, present: known.present, partialPath: file.path,
            destinationPath: destination)
    }

    /// Writes the sidecar, or informs the log; throws `writeFailed`.
    func write(_ data: ResumeData) throws(SternaError) {
        if let log { return try log.synced(data) }
        if let names { try ResumeSidecar.write(data, names) }
    }

    /// Informs the log that the complete file is about to be moved; throws `writeFailed`.
    func noteMove(to path: String) throws(SternaError) {
        guard let log, let status = FileStatus(descriptor: file.descriptor) else { return }
        try log.placing(at: path, status)
    }

    /// Removes the sidecar.
    func removeSidecar() {
        if let names { ResumeSidecar.remove(names) }
    }

    /// Discards the received bytes; throws `writeFailed`.
    func startOver() throws(SternaError) {
        // First, so that log and sidecar never list bytes of another representation.
        try log?.discarded()
        removeSidecar()
        try file.truncate(to: 0)
    }

    /// Deletes the partial file and its sidecar.
    func remove() {
        try? log?.discarded()
        removeSidecar()
        file.remove()
    }
}
