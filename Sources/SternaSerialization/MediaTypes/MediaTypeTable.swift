/// Media types by file name extension: the registered types, and those in common use.
enum MediaTypeTable {
    // Read once, on first use.
    private static let types: [String: String] = {
        var types: [String: String] = [:]
        types.reserveCapacity(1_600)
        for table in [application, others] { read(table.description, into: &types) }
        return types
    }()

    // By type in lower case; the table has the usual extension of a type first.
    private static let extensions: [String: String] = {
        var extensions: [String: String] = [:]
        extensions.reserveCapacity(1_200)
        for table in [application, others] {
            forEachEntry(of: table.description) { type, words in
                if let first = words.first { extensions[type.lowercased()] = String(first) }
            }
        }
        return extensions
    }()

    // Types in common use whose registered name is different.
    private static let unregistered: [String: String] = [
        "application/javascript": "js", "application/x-javascript": "js", "application/x-gzip": "gz",
        "application/x-rar-compressed": "rar", "application/x-zip-compressed": "zip", "audio/midi": "mid",
        "audio/mp3": "mp3", "audio/wav": "wav", "audio/webm": "webm", "image/jpg": "jpg", "image/x-icon": "ico",
        "text/json": "json", "text/xml": "xml", "video/3gpp": "3gp",
    ]

    private static func read(_ table: String, into types: inout [String: String]) {
        forEachEntry(of: table) { type, words in
            for word in words { types[String(word)] = type }
        }
    }

    // Each entry ends with a semicolon; one that begins another top-level type has the type in front, with a colon.
    private static func forEachEntry(of table: String, _ visit: (String, ArraySlice<Substring>) -> Void) {
        var top = Substring()
        for entry in table.split(whereSeparator: { $0 == ";" || $0 == "\n" }) {
            var words = entry.split(separator: " ")[...]
            guard var name = words.popFirst() else { continue }
            if let colon = name.firstIndex(of: ":") {
                top = name[..<colon]
                name = name[name.index(after: colon)...]
            }
            visit("\(top)/\(name)", words)
        }
    }

    static func type(ofExtension name: some StringProtocol) -> String? { types[name.lowercased()] }

    /// Returns the usual extension of a type and subtype in lower case.
    static func fileExtension(ofType essence: String) -> String? { extensions[essence] ?? unregistered[essence] }
}

extension MediaType {
    /// Returns the media type for a file name's extension, ignoring case; `application/octet-stream` if it is unknown.
    /// Never reads the content.
    ///
    /// - Parameter name: the name, or a path.
    public static func ofFile(named name: String) -> String {
        let file = name.utf8.split(separator: UInt8(ascii: "/")).last ?? name.utf8[...]
        // A leading dot marks a hidden file and does not begin an extension.
        guard let dot = file.lastIndex(of: UInt8(ascii: ".")), dot > file.startIndex else { return unknown }
        let ending = Substring(file[file.index(after: dot)...])
        // Some letters outside ASCII become ASCII in lower case.
        let isPlain = ending.utf8.count <= 32 && ending.utf8.allSatisfy { $0 < 0x80 }
        return isPlain ? MediaTypeTable.type(ofExtension: ending) ?? unknown : unknown
    }

    /// The usual extension of a file of this type, such as `jpg`; nil for an unknown type and for `application/octet-stream`.
    ///
    /// An unknown type with a structured suffix has the suffix's extension: `json` for `application/hal+json` (RFC 6839).
    package var preferredFilenameExtension: String? {
        // Keys are compared in canonical form, which is slow for long text outside ASCII.
        guard essence != Self.unknown, essence.utf8.count <= 127, essence.utf8.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        if let known = MediaTypeTable.fileExtension(ofType: essence) { return known }
        guard let plus = essence.utf8.lastIndex(of: UInt8(ascii: "+")) else { return nil }
        return MediaTypeTable.fileExtension(ofType: "application/\(essence[essence.utf8.index(after: plus)...])")
    }

    private static var unknown: String { "application/octet-stream" }
}
