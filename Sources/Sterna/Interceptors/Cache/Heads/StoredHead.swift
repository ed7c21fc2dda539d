import HTTPTypes
import NIOCore
import SternaCore

/// The head of a stored response, as the rules and lists read it.
final class StoredHead: Sendable {
    /// The URL for lists, without user information and fragment, and with secret values in its query masked.
    let url: String
    let response: StoredResponse

    /// The HTTP/1 field lines of the response with its whole body, without Age.
    let lines: Bytes

    init(url: String, _ response: StoredResponse) {
        (self.url, self.response) = (url, response)
        lines = Self.lines(of: response)
    }

    private static func lines(of response: StoredResponse) -> Bytes {
        let served = ServedResponse(index: 0, content: .whole, age: 0, timeLeft: 0)
        var lines = Bytes()
        for field in CacheFields.served(response, as: served).fields where field.name != .age {
            append(field, to: &lines)
        }
        return lines
    }

    private static func append(_ field: HTTPField, to lines: inout Bytes) {
        lines.writeString(field.name.rawName)
        lines.writeStaticString(": ")
        field.withUnsafeBytesOfValue { _ = lines.writeBytes($0) }
        lines.writeStaticString("\r\n")
    }
}

/// The coding of heads on disk. Decoding needs the rule settings of the cache that reads them.
extension StoredHead {
    private static let version: UInt8 = 1

    /// The limits on a coded head.
    private enum Limits {
        static let fields = 1_024
        static let ranges = 256
    }

    /// The coded head, which has no secrets but those in the response's own fields.
    ///
    /// Numbers are big-endian; a length of four bytes precedes texts and values.
    var coded: Bytes {
        var bytes = Bytes()
        bytes.writeInteger(Self.version)
        bytes.writeInteger(UInt16(truncatingIfNeeded: response.status))
        bytes.writeInteger(response.requestTime)
        bytes.writeInteger(response.responseTime)
        Self.write(url.utf8, to: &bytes)
        bytes.writeInteger(UInt16(truncatingIfNeeded: response.variant.parts.count))
        for part in response.variant.parts {
            Self.write(part.name.utf8, to: &bytes)
            bytes.writeInteger(part.value == nil ? 0 : 1 as UInt8)
            if let value = part.value { Self.write(value.utf8, to: &bytes) }
        }
        switch response.extent {
        case .whole(let length):
            bytes.writeInteger(0 as UInt8)
            bytes.writeInteger(length)
        case .parts(let ranges, let length):
            bytes.writeInteger(1 as UInt8)
            bytes.writeInteger(length ?? -1)
            bytes.writeInteger(UInt16(truncatingIfNeeded: ranges.ranges.count))
            for range in ranges.ranges {
                bytes.writeInteger(range.lowerBound)
                bytes.writeInteger(range.upperBound)
            }
        }
        bytes.writeInteger(UInt16(truncatingIfNeeded: response.fields.count))
        for field in response.fields {
            Self.write(field.name.rawName.utf8, to: &bytes)
            field.withUnsafeBytesOfValue { Self.write($0, to: &bytes) }
        }
        return bytes
    }

    private static func write(_ value: some Collection<UInt8>, to bytes: inout Bytes) {
        bytes.writeInteger(UInt32(truncatingIfNeeded: value.count))
        bytes.writeBytes(value)
    }

    /// Decodes a head; nil for bytes that ``coded`` does not write for a body of this length.
    convenience init?(_ coded: Bytes, bodyLength: Int64, settings: CacheRuleSettings) {
        var bytes = coded
        guard bytes.readInteger(as: UInt8.self) == Self.version,
            let status = bytes.readInteger(as: UInt16.self), (200..<600).contains(status),
            let requestTime = bytes.readInteger(as: Int64.self), let responseTime = bytes.readInteger(as: Int64.self),
            let url = Self.readText(&bytes), let variant = Self.readVariant(&bytes),
            let extent = Self.readExtent(&bytes, bodyLength), let fields = Self.readFields(&bytes),
            bytes.readableBytes == 0
        else { return nil }
        let head = CacheResponse(Int(status), fields, requestTime: requestTime, responseTime: responseTime)
        self.init(url: url, StoredResponse(head, variant: variant, extent: extent, settings: settings))
    }

    private static func readText(_ bytes: inout Bytes) -> String? {
        guard let count = bytes.readInteger(as: UInt32.self), let value = bytes.readBytes(length: Int(count)) else {
            return nil
        }
        return String(validating: value, as: UTF8.self)
    }

    private static func readVariant(_ bytes: inout Bytes) -> VaryKey? {
        guard let count = bytes.readInteger(as: UInt16.self), count <= Vary.limit else { return nil }
        var parts: [VaryKey.Part] = []
        for _ in 0..<count {
            guard let name = readText(&bytes), FieldSyntax.isToken(name), let kind = bytes.readInteger(as: UInt8.self),
                kind <= 1
            else { return nil }
            var value: String?
            if kind == 1 {
                guard let text = readText(&bytes) else { return nil }
                value = text
            }
            parts.append(.init(name: name, value: value))
        }
        return VaryKey(parts: parts)
    }

    private static func readExtent(_ bytes: inout Bytes, _ bodyLength: Int64) -> StoredExtent? {
        guard let kind = bytes.readInteger(as: UInt8.self), let length = bytes.readInteger(as: Int64.self) else {
            return nil
        }
        guard kind == 1 else { return kind == 0 && length == bodyLength ? .whole(length) : nil }
        guard length >= -1, let count = bytes.readInteger(as: UInt16.self), (1...Limits.ranges).contains(Int(count))
        else {
            return nil
        }
        var list: [Range<Int64>] = []
        for _ in 0..<count {
            guard let start = bytes.readInteger(as: Int64.self), let end = bytes.readInteger(as: Int64.self),
                start >= 0,
                start < end
            else { return nil }
            list.append(start..<end)
        }
        guard let ranges = ByteRanges(exactly: list), ranges.total == bodyLength, length < 0 || ranges.end <= length
        else { return nil }
        return .parts(ranges, length: length < 0 ? nil : length)
    }

    private static func readFields(_ bytes: inout Bytes) -> HTTPFields? {
        guard let count = bytes.readInteger(as: UInt16.self), count <= Limits.fields else { return nil }
        var fields = HTTPFields()
        fields.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let name = readText(&bytes).flatMap({ HTTPField.Name($0) }),
                let length = bytes.readInteger(as: UInt32.self), let value = bytes.readBytes(length: Int(length)),
                value.allSatisfy(FieldSyntax.isValueByte)
            else { return nil }
            fields.append(HTTPField(name: name, lenientValue: value))
        }
        return fields
    }

    /// Whether the head is within the limits of the coding.
    var isCodable: Bool {
        response.fields.count <= Limits.fields && (200..<600).contains(response.status)
            && response.variant.parts.count <= Vary.limit
    }
}

extension VaryKey {
    /// The number of the variant: 0 if the response does not vary.
    ///
    /// Numbers of different variants can collide: one then replaces the other, but is not served in its place, since the values are
    /// compared, too.
    var number: UInt64 {
        guard !parts.isEmpty else { return 0 }
        var bytes: [UInt8] = []
        for part in parts {
            bytes += part.name.utf8
            bytes.append(part.value == nil ? 0 : 1)
            bytes += (part.value ?? "").utf8
            bytes.append(0xFF)
        }
        return bytes.withUnsafeBytes { XXHash64.hash($0, seed: 0) } | 1
    }
}
