import SternaCore
import SternaPlatform

/// Reads and writes the fields of tus 1.0.0, which are plain text.
enum TusField {
    static let version = "1.0.0"

    /// The maximum length of a list that is read, in bytes.
    static let longest = 4_096

    /// Returns the members of a comma-separated list in lower case; none for a list that is longer than ``longest``.
    static func list(_ lines: [String]) -> [String] {
        guard lines.reduce(0, { $0 + $1.utf8.count }) <= longest else { return [] }
        return lines.flatMap { $0.split(separator: ",") }
            .map { $0.trimmingBlanks().lowercased() }
            .filter { FieldSyntax.isToken($0) }
    }

    /// Returns Upload-Expires in seconds since 1970; nil for text that is not a date.
    ///
    /// Some servers write the zone as UTC, or omit it.
    static func expires(_ lines: [String]) -> Int64? {
        guard lines.count == 1, let line = lines.first, line.utf8.count <= 40 else { return nil }
        if let seconds = HTTPDate.seconds(line) { return seconds }
        let bare = line.hasSuffix(" UTC") ? line.dropLast(4) : line[...]
        return HTTPDate.seconds(bare.trimmingBlanks() + " GMT")
    }

    /// Returns the value of Upload-Metadata: pairs of a key and a value in Base64.
    ///
    /// Throws `invalidHeader` for a key that is empty, occurs twice, or contains spaces, commas or characters outside ASCII. Keys
    /// with an empty value are left out, since some servers cannot read them.
    static func metadata(_ pairs: [UploadPlan.Pair]) throws(SternaError) -> String? {
        var seen: Set<String> = []
        var parts: [String] = []
        for pair in pairs {
            guard !pair.name.isEmpty, pair.name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2C }) else {
                throw SternaError(
                    .invalidHeader, phase: .prepare,
                    "“\(FieldSyntax.printable(pair.name))” cannot be a key of the upload's metadata: use ASCII characters "
                        + "without blanks and commas.")
            }
            guard seen.insert(pair.name).inserted else {
                throw SternaError(
                    .invalidHeader, phase: .prepare,
                    "The upload's metadata has the key “\(FieldSyntax.printable(pair.name))” twice; leave one out.")
            }
            guard !pair.value.isEmpty else { continue }
            parts.append("\(pair.name) \(Data(pair.value.utf8).base64EncodedString())")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ",")
    }

    /// Returns the value of Upload-Checksum.
    static func checksum(_ digest: UploadDigest) -> String {
        "\(digest.algorithm.tusName) \(Data(digest.bytes).base64EncodedString())"
    }

    /// Returns the value of Upload-Concat for the final upload of several partial ones.
    static func concatenation(of parts: [HTTPURL]) -> String {
        "final;" + parts.map { $0.removingUserinfo().replacingFragment(nil).href }.joined(separator: " ")
    }
}
