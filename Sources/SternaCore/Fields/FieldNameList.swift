import HTTPTypes

/// Up to 64 field names that are searched for in one pass.
package struct FieldNameList: Sendable {
    private let names: [(text: String, bytes: [UInt8])]

    /// Makes a list of names in lower case; further ones are left out.
    package init(_ names: [String]) {
        self.names = names.prefix(64).map { ($0, Array($0.utf8)) }
    }

    func present(in fields: HTTPFields) -> UInt64 {
        var found: UInt64 = 0
        for field in fields {
            for index in names.indices where names[index].text == field.name.canonicalName {
                found |= 1 << UInt64(index)
            }
        }
        return found
    }

    /// Returns which names occur in a checked section, as a bit for each.
    func present(in raw: UnsafeRawBufferPointer) -> UInt64 {
        var found: UInt64 = 0
        FieldLines.forEachLine(in: raw) { line in
            for index in names.indices {
                let name = names[index].bytes
                // The position of the colon rules out most lines.
                guard line.count > name.count, line[name.count] == UInt8(ascii: ":") else { continue }
                if name.withUnsafeBufferPointer({ FieldLines.begins(line, with: $0) }) { found |= 1 << UInt64(index) }
            }
            return true
        }
        return found
    }
}
