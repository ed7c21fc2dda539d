import NIOCore
import Sterna
import SternaCore
import SternaPlatform

/// Records the state of a download in the transfer's journal, and verifies the recorded state after a restart.
final class JournaledDownload: DownloadLog {
    private let journal: TransferJournal
    let partialName: String

    init(_ journal: TransferJournal, of id: TransferID) {
        self.journal = journal
        partialName = String(id.text.prefix(8))
    }

    /// The next event syncs this line. If it is lost in a power failure, an empty file remains.
    func opened(_ path: String) throws(SternaError) { try journal.append(.opened(path: path)) }

    func began(_ data: ResumeData) throws(SternaError) { try journal.append(.found(data), syncs: true) }

    func wrote(_ bytes: Bytes, at offset: Int64) throws(SternaError) {
        let end = offset.addingReportingOverflow(Int64(bytes.readableBytes)).partialValue
        guard offset >= 0, offset < end else { return }
        let sum = bytes.withUnsafeReadableBytes { XXHash64.hash($0, seed: UInt64(offset)) }
        try journal.append(.wrote(offset..<end, sum: sum))
    }

    func synced(_ data: ResumeData) throws(SternaError) { try journal.append(.synced(data), syncs: true) }

    func placing(at path: String, _ file: FileStatus) throws(SternaError) {
        try journal.append(.placing(TransferFile(path, file)), syncs: true)
    }

    func discarded() throws(SternaError) {
        let history = journal.history
        // A new transfer has nothing to discard.
        guard history.partialPath != nil || history.data != nil || history.placing != nil else { return }
        try journal.append(.discarded, syncs: true)
    }

    /// Returns the data that a download resumes with: the synced bytes, and later ones whose checksums match. Blocks on the disk.
    static func resumeData(_ history: TransferHistory) -> ResumeData? {
        guard let data = history.data, !history.blocks.isEmpty else { return history.data }
        let descriptor = open(data.partialPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return data.adding(history.blocks.filter { isWhole($0, descriptor) }.map(\.range))
    }

    /// Whether a block of the file matches its checksum.
    private static func isWhole(_ block: TransferHistory.Block, _ descriptor: CInt) -> Bool {
        let count = block.range.upperBound - block.range.lowerBound
        // The library writes no longer blocks, but a journal may claim any length.
        guard count <= 64 << 20 else { return false }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        let isRead = bytes.withUnsafeMutableBytes { space in
            var done = 0
            while done < space.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: space[done...])
                let count = pread(descriptor, rest.baseAddress, rest.count, off_t(block.range.lowerBound) + off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
        return isRead && bytes.withUnsafeBytes { XXHash64.hash($0, seed: UInt64(block.range.lowerBound)) } == block.sum
    }
}
