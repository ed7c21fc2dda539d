public import SternaCore
public import SternaPlatform
import SternaSerialization

/// The state of an interrupted download, which can be resumed from it, also by another process.
///
/// It exists only for downloads that can be resumed. Its JSON form (``data``):
///
///     {
///       "version": 1,
///       "url": "https://example.com/big.iso",
///       "validator": {"etag": "\"5f3a\""},
///       "length": 1073741824,
///       "ranges": [[0, 65536]],
///       "partial": "/home/ada/big.iso.sterna-part",
///       "destination": "/home/ada/big.iso"
///     }
///
/// The validator is an `etag` or a `lastModified`. `length` is absent if the server did not state it, `destination` if it is not
/// known yet. A range is the position of its first byte and the position after its last; ranges are sorted, with gaps between them.
/// The URL's query may contain secrets: keep the JSON where only its owner can read it. ``description`` and mirrors mask them.
public struct ResumeData: Sendable, Hashable {
    /// The URL of the download's request, without user information and fragment.
    public let url: HTTPURL

    /// The length of the complete file in bytes; nil if the server did not state it.
    public let length: Int64?

    /// The path of the partial file.
    public let partialPath: String

    /// The path of the complete file; nil if it is decided after the transfer.
    public let destinationPath: String?

    /// The strong validator of the representation in the partial file.
    let validator: EntityValidator

    /// The bytes in the partial file.
    let present: ByteRanges

    /// The ranges of the file that the partial file has: sorted, with gaps between them.
    public var ranges: [Range<Int64>] { present.ranges }

    /// The number of bytes that the partial file has.
    public var receivedBytes: Int64 { present.total }

    /// Makes a state. Drops bytes beyond the length, and ranges beyond ``Limits/ranges``, which are then requested again.
    init(
        url: HTTPURL, validator: EntityValidator, length: Int64?, present: ByteRanges, partialPath: String,
        destinationPath: String?
    ) {
        self.url = url.removingUserinfo().removingFragment()
        self.validator = validator
        self.length = length
        self.partialPath = partialPath
        self.destinationPath = destinationPath
        var present = present
        if let length { present.truncate(to: length) }
        present.keepFirst(Limits.ranges)
        self.present = present
    }

    /// The limits of resume data.
    enum Limits {
        /// The length of the JSON in bytes.
        static let bytes = 256 << 10

        /// The number of ranges.
        static let ranges = 1_024

        /// The length of a path in bytes.
        static let path = 4_096
    }

    /// The version of the format.
    static let version = 1

    /// Returns this state with further bytes in the partial file.
    package func adding(_ further: some Sequence<Range<Int64>>) -> ResumeData {
        var present = present
        for range in further { present.insert(range) }
        return ResumeData(
            url: url, validator: validator, length: length, present: present, partialPath: partialPath,
            destinationPath: destinationPath)
    }

    /// Returns this state with files at other paths.
    func moved(partialPath: String, destinationPath: String?) -> ResumeData {
        ResumeData(
            url: url, validator: validator, length: length, present: present, partialPath: partialPath,
            destinationPath: destinationPath)
    }
}

extension ResumeData {
    /// Parses the JSON of ``data``.
    ///
    /// Throws `decodingFailed` for anything else, including another version, a URL that is neither http nor https, an invalid
    /// validator, ranges out of order or beyond the length, and more than 256 KiB.
    public init(data: Data) throws(SternaError) {
        do {
            guard data.count <= Limits.bytes else { throw Self.fault("it is longer than \(Limits.bytes) bytes") }
            let limits = JSON.ParseLimits(depth: 4, bytes: Limits.bytes, values: 4 * Limits.ranges)
            self = try JSON(parsing: data, limits: limits).decode()
        } catch {
            let cause = (error as? SternaError)?.underlying ?? error
            throw SternaError(
                .decodingFailed, phase: .prepare,
                "The resume data cannot be read; start the download over: \(CodingReason.text(cause))",
                underlying: cause)
        }
    }

    /// The state as JSON in UTF-8, at most 256 KiB.
    public var data: Data {
        // Serializing fails only for numbers that are not finite, and for deep trees.
        Data((try? json.serialized()) ?? [])
    }

    /// The state as JSON.
    package var json: JSON {
        var members: [(String, JSON)] = [
            ("version", .number(.init(Self.version))), ("url", .string(url.href)),
        ]
        switch validator {
        case .entityTag(let tag): members.append(("validator", ["etag": .string(tag)]))
        case .lastModified(let date): members.append(("validator", ["lastModified": .string(date)]))
        }
        if let length { members.append(("length", .number(.init(length)))) }
        let ranges = present.ranges.map { range -> JSON in
            .array([.number(.init(range.lowerBound)), .number(.init(range.upperBound))])
        }
        members.append(("ranges", .array(ranges)))
        members.append(("partial", .string(partialPath)))
        if let destinationPath { members.append(("destination", .string(destinationPath))) }
        return .object(.init(pairs: members))
    }
}

extension ResumeData: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, url, validator, length, ranges, partial, destination
    }

    private enum ValidatorKeys: String, CodingKey {
        case etag, lastModified
    }

    /// Decodes the form of ``data``; throws `DecodingError` if it is invalid.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let version = try members.decode(Int.self, forKey: .version)
        guard version == Self.version else { throw Self.fault("its version is \(version), not \(Self.version)") }
        let text = try members.decode(String.self, forKey: .url)
        guard let url = try? HTTPURL(text), url.scheme == .http || url.scheme == .https else {
            throw Self.fault("its URL is not one of http or https")
        }
        let length = try members.decodeIfPresent(Int64.self, forKey: .length)
        guard length ?? 0 >= 0 else { throw Self.fault("its length is negative") }
        let present = try Self.ranges(try members.nestedUnkeyedContainer(forKey: .ranges))
        guard present.end <= length ?? .max else { throw Self.fault("its ranges go beyond the length") }
        self.init(
            url: url,
            validator: try Self.validator(
                members.nestedContainer(keyedBy: ValidatorKeys.self, forKey: .validator)),
            length: length, present: present,
            partialPath: try Self.path(members.decode(String.self, forKey: .partial)),
            destinationPath: try members.decodeIfPresent(String.self, forKey: .destination).map(Self.path))
    }

    /// Encodes the form of ``data``; throws the errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(Self.version, forKey: .version)
        try members.encode(url.href, forKey: .url)
        var child = members.nestedContainer(keyedBy: ValidatorKeys.self, forKey: .validator)
        switch validator {
        case .entityTag(let tag): try child.encode(tag, forKey: .etag)
        case .lastModified(let date): try child.encode(date, forKey: .lastModified)
        }
        try members.encodeIfPresent(length, forKey: .length)
        try members.encode(ranges.map { [$0.lowerBound, $0.upperBound] }, forKey: .ranges)
        try members.encode(partialPath, forKey: .partial)
        try members.encodeIfPresent(destinationPath, forKey: .destination)
    }

    private static func validator(_ members: KeyedDecodingContainer<ValidatorKeys>) throws -> EntityValidator {
        let tag = try members.decodeIfPresent(String.self, forKey: .etag)
        let date = try members.decodeIfPresent(String.self, forKey: .lastModified)
        let validator: EntityValidator? =
            if let tag, date == nil { .entityTag(tag) } else if let date, tag == nil { .lastModified(date) } else {
                nil
            }
        guard let validator, validator.isValid else { throw fault("its validator is invalid") }
        return validator
    }

    private static func ranges(_ list: any UnkeyedDecodingContainer) throws -> ByteRanges {
        var list = list
        var found: [Range<Int64>] = []
        while !list.isAtEnd {
            guard found.count < Limits.ranges else { throw fault("it has more than \(Limits.ranges) ranges") }
            var pair = try list.nestedUnkeyedContainer()
            let (first, end) = (try pair.decode(Int64.self), try pair.decode(Int64.self))
            guard pair.isAtEnd, first >= 0, first < end else { throw fault("one of its ranges is invalid") }
            found.append(first..<end)
        }
        guard let ranges = ByteRanges(exactly: found) else { throw fault("its ranges are out of order") }
        return ranges
    }

    private static func path(_ text: String) throws -> String {
        guard !text.isEmpty, text.utf8.count <= Limits.path, !text.utf8.contains(0) else {
            throw fault("a path in it is invalid")
        }
        return text
    }

    private static func fault(_ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "\(reason)."))
    }
}

extension ResumeData: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of received bytes, the length, and the URL with its secrets masked, in one line.
    public var description: String {
        let whole = length.map { " of \($0)" } ?? ""
        return "\(receivedBytes)\(whole) bytes of \(Redaction.show(url))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows the state with the URL's secrets masked.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "url": Redaction.show(url), "validator": validator.fieldValue, "length": length as Any,
                "ranges": ranges, "partialPath": partialPath, "destinationPath": destinationPath as Any,
            ], displayStyle: .struct)
    }
}
