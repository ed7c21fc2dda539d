package import SternaCore

/// A content coding of a body (RFC 9110, 8.4.1).
public enum ContentCoding: String, Sendable, Hashable {
    case gzip, deflate

    /// Parses a Content-Encoding field into codings, in the order in which they were applied; identity is left out.
    ///
    /// Throws `contentCodingFailed` for an unknown coding, or more than four.
    package static func parse(_ field: String) throws(SternaError) -> [ContentCoding] {
        guard let codings = try known(field) else { throw unknown(field) }
        return codings
    }

    /// Parses a field like ``parse(_:)``, but returns nil if one of the codings is unknown.
    package static func known(_ field: String) throws(SternaError) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for item in field.split(separator: ",") {
            let name = item.trimmingBlanks().lowercased()
            switch name {
            case "", "identity": continue
            case "gzip", "x-gzip": codings.append(.gzip)
            case "deflate": codings.append(.deflate)
            default: return nil
            }
        }
        guard codings.count <= 4 else {
            throw SternaError(
                .contentCodingFailed, phase: .decode,
                "The response names \(codings.count) content codings; at most 4 are accepted.")
        }
        return codings
    }

    /// Returns the error for a field that names an unknown coding.
    static func unknown(_ field: String) -> SternaError {
        SternaError(
            .contentCodingFailed, phase: .decode,
            "The body is in the content coding “\(FieldSyntax.printable(field))”, which was not requested and is not supported; "
                + "read the coded bytes with data()."
        ).advised(.inDetail)
    }

    /// Makes a decoder of this coding.
    package func makeInflater() -> Inflater { Inflater(self == .gzip ? .gzip : .deflate) }
}

extension Substring {
    /// Returns the text without leading and trailing spaces and tabs.
    func trimmingBlanks() -> Substring {
        var text = self
        while let first = text.utf8.first, first == 0x20 || first == 0x09 {
            text = Substring(text.utf8.dropFirst())
        }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 {
            text = Substring(text.utf8.dropLast())
        }
        return text
    }
}
