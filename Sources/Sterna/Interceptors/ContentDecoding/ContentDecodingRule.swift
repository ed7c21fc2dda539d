import SternaCore
import SternaSerialization

/// Decides which content codings of a response belong to the file that it is saved to.
enum ContentDecodingRule {
    /// The endings of files whose format is a coding, in lower case: such a file is not to be decoded when it is saved.
    private static let endings: [ContentCoding: Set<String>] = [
        .gzip: ["gz", "gzip", "tgz", "svgz", "emz", "wmz"]
    ]

    /// Returns the codings that are the file's own, and stay; the others are undone.
    ///
    /// Servers label `a.tar.gz` as gzip by its name, though it has no further coding (Apache's AddEncoding). The file's own coding was
    /// applied first, so a compression on the way (`gzip, gzip`) is undone nevertheless.
    ///
    /// - Parameters:
    ///   - codings: the codings in the order in which they were applied.
    ///   - name: the name of the file; nil if the body is not saved, so that everything is undone.
    static func ownCodings(_ codings: [ContentCoding], ofFileNamed name: String?) -> ArraySlice<ContentCoding> {
        guard let name, let first = codings.first, let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")),
            dot > name.startIndex, endings[first]?.contains(name[dot...].dropFirst().lowercased()) == true
        else { return [] }
        return codings.prefix(1)
    }
}

/// The name of the file that a response's body is saved to.
package enum SavedFileName: Sendable, Hashable {
    /// A path or a name that the caller gives.
    case given(String)

    /// The name in the response's Content-Disposition, or else the given one; nil for that of the URL that answers.
    case suggested(orElse: String?)

    func text(for response: Response) -> String {
        switch self {
        case .given(let path): FilePaths.name(of: path)
        case .suggested(let name?): DownloadFileName.name(suggestedBy: response) ?? name
        case .suggested(nil): DownloadFileName.name(for: response)
        }
    }
}
