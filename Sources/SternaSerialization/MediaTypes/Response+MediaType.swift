import HTTPTypes
public import SternaCore

extension Response {
    /// The media type of the body, parsed from the Content-Type fields like in browsers (Fetch, "extract a MIME type"); nil without
    /// a valid one. The pattern `*/*` is no type.
    ///
    /// If there are several types, in separate fields or in one, the last one counts. A repeated type without a character set keeps
    /// the earlier one's.
    public var mediaType: MediaType? {
        let lines = section[values: .contentType]
        guard lines.count == 1, !lines[0].utf8.contains(UInt8(ascii: ",")) else { return MediaType(lastOf: lines) }
        guard let type = MediaType(lines[0]), type.essence != "*/*" else { return nil }
        return type
    }
}

extension MediaType {
    fileprivate init?(lastOf lines: [String]) {
        var last: MediaType?
        for line in lines {
            for item in Self.items(of: line) {
                guard var type = MediaType(String(item)), type.essence != "*/*" else { continue }
                if type.essence == last?.essence, type["charset"] == nil, let charset = last?["charset"] {
                    type.parameters.append((name: "charset", value: charset))
                }
                last = type
            }
        }
        guard let last else { return nil }
        self = last
    }

    /// Returns the items of a list; commas inside quotes do not separate.
    private static func items(of line: String) -> [Substring] {
        var items: [Substring] = []
        var start = line.startIndex
        var isQuoted = false
        var isEscaped = false
        let bytes = line.utf8
        for index in bytes.indices {
            switch bytes[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                items.append(line[start..<index])
                start = bytes.index(after: index)
            default: break
            }
        }
        items.append(line[start...])
        return items
    }
}
