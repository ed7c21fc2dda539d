import SternaCore
import SternaPlatform

extension ResumeSidecar {
    /// The maximum number of sidecars of a folder that are read.
    private static let searchLimit = 1_000

    /// Returns what continues a download from a URL in a folder; nil if no sidecar in it is of that URL. It blocks.
    ///
    /// Files that cannot be read, or are no sidecars, are passed over.
    static func find(_ url: HTTPURL, in folder: String) -> ResumeData? {
        let wanted = url.removingUserinfo().removingFragment()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for stem in names.lazy.compactMap(PartialNames.stem(ofSidecar:)).prefix(searchLimit) {
            let path = FilePaths.path(stem, in: folder)
            guard let names = PartialNames(destination: path),
                let data = try? read(names, destination: path), data.url == wanted
            else { continue }
            return data
        }
        return nil
    }
}

extension PartialNames {
    /// Returns the name of the destination whose sidecar has a name; nil for a name that is none of a sidecar.
    static func stem(ofSidecar name: String) -> String? {
        name.hasSuffix(sidecarSuffix) && name.utf8.count > sidecarSuffix.utf8.count
            ? String(name.dropLast(sidecarSuffix.count)) : nil
    }
}
