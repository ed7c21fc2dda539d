import SternaCore

/// The format of a store's file, whose hosts are merged with the store's at each read and write.
struct HSTSStorage: MergedFileFormat {
    let file: PrivateFile
    let clock: @Sendable () -> Int64

    /// The store's content.
    struct Content: Sendable {
        var hosts: HSTSState
        var preload = HSTSPreload()
    }

    func read() throws(SternaError) -> [String: HSTSState.Entry] {
        try file.read(upTo: HSTSFile.Limits.bytes) { content throws(FileFault) in
            try HSTSFile(parsing: content.bytes).entries
        } ?? [:]
    }

    func merge(_ saved: [String: HSTSState.Entry], into content: inout Content) {
        _ = content.hosts.merge(saved, at: clock())
    }

    func write(
        _ content: Content, over saved: [String: HSTSState.Entry]
    ) throws(SternaError) -> (inout Content) -> Void {
        var hosts = content.hosts
        hosts.prune(at: clock())
        do throws(FileFault) {
            if hosts.entries != saved { try file.replace(HSTSFile(entries: hosts.entries).content()) }
        } catch {
            throw file.unwritable(error)
        }
        return { _ in }
    }
}
