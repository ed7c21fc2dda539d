import SternaCore

/// The format of a store's file, whose hosts are merged with the store's at each read and write.
struct HSTSStorage: MergedFileFormat {
    let file: PrivateFile
    let format: HSTSStore.FileFormat
    let clock: @Sendable () -> Int64

    /// The store's content.
    struct Content: Sendable {
        var hosts: HSTSState
        var preload = HSTSPreload()
    }

    /// The file's content.
    enum Saved: Sendable {
        case json(HSTSFile)
        case curl(HSTSText)
    }

    func read() throws(SternaError) -> Saved {
        let saved = try file.read(upTo: HSTSFile.Limits.bytes) { content throws(FileFault) -> Saved in
            switch format {
            case .json: return .json(try HSTSFile(parsing: content.bytes))
            case .curl: return .curl(try HSTSText(parsing: content.bytes))
            }
        }
        return saved ?? (format == .json ? .json(HSTSFile()) : .curl(HSTSText()))
    }

    func merge(_ saved: Saved, into content: inout Content) {
        let entries =
            switch saved {
            case .json(let file): file.entries
            case .curl(let text): text.entries
            }
        _ = content.hosts.merge(entries, at: clock())
    }

    func write(_ content: Content, over saved: Saved) throws(SternaError) -> (inout Content) -> Void {
        var hosts = content.hosts
        hosts.prune(at: clock())
        do throws(FileFault) {
            switch saved {
            case .json(let saved):
                if hosts.entries != saved.entries {
                    try file.replace(HSTSFile(entries: hosts.entries).content())
                }
            case .curl(let saved):
                var text = saved
                text.entries = hosts.entries.filter { !$0.value.isRemoved }.mapValues(HSTSText.written)
                if text != saved { try file.replace(text.content()) }
            }
        } catch {
            throw file.unwritable(error)
        }
        return { _ in }
    }
}
