import SternaCore
import SternaSerialization

/// Decides which content codings of a response a saved file keeps.
enum ContentDecodingRule {
    /// Returns the codings that belong to the file itself and are kept; the others are decoded.
    ///
    /// A file whose extension names its format as a coding (``ContentCoding/fileExtensions``) keeps that coding when it is saved.
    /// Servers label `a.tar.gz` as gzip because of its name (Apache's AddEncoding), without another coding. The file's own coding
    /// was applied first, so a second one for the transfer (`gzip, gzip`) is still decoded.
    ///
    /// - Parameters:
    ///   - codings: the codings in the order in which they were applied.
    ///   - name: the name of the file; nil if the body is not saved, so that all codings are decoded.
    static func ownCodings(_ codings: [ContentCoding], ofFileNamed name: String?) -> ArraySlice<ContentCoding> {
        guard let name, let first = codings.first, let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")),
            dot > name.startIndex, first.fileExtensions.contains(name[dot...].dropFirst().lowercased())
        else { return [] }
        return codings.prefix(1)
    }
}

/// The name of the file to which a response's body is saved.
package enum SavedFileName: Sendable, Hashable {
    /// A path or a name that the caller gives.
    case given(String)

    /// The name in the response's Content-Disposition, or else the given one; nil for a name from the response's URL.
    case suggested(orElse: String?)

    func text(for response: Response) -> String {
        switch self {
        case .given(let path): FilePaths.name(of: path)
        case .suggested(let name?): DownloadFileName.name(suggestedBy: response) ?? name
        case .suggested(nil): DownloadFileName.name(for: response)
        }
    }
}
