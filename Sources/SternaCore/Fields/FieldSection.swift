public import HTTPTypes
public import NIOCore

/// The header or trailer fields of a received message (RFC 9110, 6.3), kept as they came until somebody asks.
///
/// Most responses are read for one or two of their fields. Looking one up scans the bytes of the section; `fields` makes
/// the whole list.
public struct FieldSection: Sendable {
    private enum Storage: Sendable {
        case fields(HTTPFields)
        case wire(Bytes)
    }

    private var storage: Storage

    /// A section of ready fields.
    public init(_ fields: HTTPFields = HTTPFields()) { storage = .fields(fields) }

    /// A section as it stands in an HTTP/1 message: lines of `name:value` each ended by CR LF.
    ///
    /// The bytes must have been checked by whoever parsed the message: names are tokens, values have no control
    /// characters but tabs.
    public init(checkedLines: Bytes) { storage = .wire(checkedLines) }

    /// All fields in their order.
    public var fields: HTTPFields {
        get {
            switch storage {
            case .fields(let fields): return fields
            case .wire(let bytes):
                var fields = HTTPFields()
                bytes.withUnsafeReadableBytes { raw in
                    FieldLines.forEach(in: raw) { name, value in
                        if let name = HTTPField.Name(String(decoding: name, as: UTF8.self)) {
                            fields.append(HTTPField(name: name, lenientValue: Array(value)))
                        }
                        return true
                    }
                }
                return fields
            }
        }
        set { storage = .fields(newValue) }
    }

    /// The value of a field, several lines of the same name joined by a comma and a space (RFC 9110, 5.3).
    public subscript(name: HTTPField.Name) -> String? {
        switch storage {
        case .fields(let fields): return fields[name]
        case .wire(let bytes):
            var found: String?
            bytes.withUnsafeReadableBytes { raw in
                FieldLines.forEach(in: raw) { lineName, value in
                    guard FieldLines.equal(lineName, name.canonicalName) else { return true }
                    let text = String(decoding: value, as: UTF8.self)
                    found = found.map { $0 + (name == .cookie ? "; " : ", ") + text } ?? text
                    return true
                }
            }
            return found
        }
    }

    /// The values of a field's lines, one by one.
    public subscript(values name: HTTPField.Name) -> [String] {
        switch storage {
        case .fields(let fields): return fields[values: name]
        case .wire(let bytes):
            var found: [String] = []
            bytes.withUnsafeReadableBytes { raw in
                FieldLines.forEach(in: raw) { lineName, value in
                    if FieldLines.equal(lineName, name.canonicalName) {
                        found.append(String(decoding: value, as: UTF8.self))
                    }
                    return true
                }
            }
            return found
        }
    }

    /// Whether there is a field of that name.
    public func contains(_ name: HTTPField.Name) -> Bool {
        switch storage {
        case .fields(let fields): return fields.contains(name)
        case .wire(let bytes):
            var found = false
            bytes.withUnsafeReadableBytes { raw in
                FieldLines.forEach(in: raw) { lineName, _ in
                    found = FieldLines.equal(lineName, name.canonicalName)
                    return !found
                }
            }
            return found
        }
    }
}

extension FieldSection: CustomReflectable {
    /// The fields as ``Headers`` shows them, without credentials.
    public var customMirror: Mirror {
        Mirror(self, children: ["fields": Headers(fields)], displayStyle: .struct)
    }
}

/// Walks over the field lines of a checked section.
enum FieldLines {
    /// Calls `body` with each line's name and value, without the white space around the value, until it returns false.
    static func forEach(
        in raw: UnsafeRawBufferPointer,
        _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) {
        var start = 0
        while start < raw.count {
            var colon = start
            while colon < raw.count, raw[colon] != UInt8(ascii: ":") { colon += 1 }
            var end = colon
            while end < raw.count, raw[end] != UInt8(ascii: "\r") { end += 1 }
            guard colon < end else { return }
            var first = colon + 1
            var last = end
            while first < last, isBlank(raw[first]) { first += 1 }
            while last > first, isBlank(raw[last - 1]) { last -= 1 }
            let name = UnsafeRawBufferPointer(rebasing: raw[start..<colon])
            let value = UnsafeRawBufferPointer(rebasing: raw[first..<last])
            guard body(name, value) else { return }
            start = end + 2
        }
    }

    /// Whether a name on the wire is the given one, which is in lower case.
    static func equal(_ name: UnsafeRawBufferPointer, _ lowercased: String) -> Bool {
        guard name.count == lowercased.utf8.count else { return false }
        var index = 0
        for expected in lowercased.utf8 {
            var byte = name[index]
            if byte >= UInt8(ascii: "A"), byte <= UInt8(ascii: "Z") { byte |= 0x20 }
            if byte != expected { return false }
            index += 1
        }
        return true
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
