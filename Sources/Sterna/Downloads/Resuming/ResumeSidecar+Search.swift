import SternaCore
import SternaPlatform

extension ResumeSidecar {
    /// The maximum number of sidecars that are read in a folder.
    private static let searchLimit = 1_000

    /// Returns the resume data for a URL in a folder; nil if no sidecar has that URL. Blocks.
    ///
    /// Files that are unreadable, or not sidecars, are skipped.
    static func find(_ url: HTTPURL, in folder: String) -> ResumeData? {
        let wanted = url.removingUserinfo().removingFragment()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for stem in names.lazy.compactMap(PartialNames.stem(ofSidecar:)).prefix(searchLimit) {
            guard let names = PartialNames(destination: FilePaths.path(stem, in: folder)),
                let data = try? read(names, in: folder), data.url == wanted
            else { continue }
            return data
        }
        return nil
    }
}

extension PartialNames {
    /// Returns the name of a sidecar's destination, or its shortened form; nil if the name is not a sidecar's.
    static func stem(ofSidecar name: String) -> String? {
        name.hasSuffix(sidecarSuffix) && name.utf8.count > sidecarSuffix.utf8.count
            ? String(name.dropLast(sidecarSuffix.count)) : nil
    }
}
