/// Media types by file name extension: the registered types, and those in common use.
enum MediaTypeTable {
    // Read once, on first use.
    private static let types: [String: String] = {
        var types: [String: String] = [:]
        types.reserveCapacity(1_600)
        for table in [application, others] { read(table.description, into: &types) }
        return types
    }()

    // Each entry ends with a semicolon; one that begins another top-level type has the type in front, with a colon.
    private static func read(_ table: String, into types: inout [String: String]) {
        var top = Substring()
        for entry in table.split(whereSeparator: { $0 == ";" || $0 == "\n" }) {
            var words = entry.split(separator: " ")[...]
            guard var name = words.popFirst() else { continue }
            if let colon = name.firstIndex(of: ":") {
                top = name[..<colon]
                name = name[name.index(after: colon)...]
            }
            for word in words { types[String(word)] = "\(top)/\(name)" }
        }
    }

    static func type(ofExtension name: some StringProtocol) -> String? { types[name.lowercased()] }
}

extension MediaType {
    /// Returns the media type for a file name's extension, ignoring case; `application/octet-stream` if it is unknown.
    /// Never reads the content.
    ///
    /// - Parameter name: the name, or a path.
    public static func ofFile(named name: String) -> String {
        let file = name.utf8.split(separator: UInt8(ascii: "/")).last ?? name.utf8[...]
        // A leading dot hides a file and begins no extension.
        guard let dot = file.lastIndex(of: UInt8(ascii: ".")), dot > file.startIndex else { return unknown }
        let ending = Substring(file[file.index(after: dot)...])
        // Some letters outside ASCII become ASCII in lower case.
        let isPlain = ending.utf8.count <= 32 && ending.utf8.allSatisfy { $0 < 0x80 }
        return isPlain ? MediaTypeTable.type(ofExtension: ending) ?? unknown : unknown
    }

    private static var unknown: String { "application/octet-stream" }
}
