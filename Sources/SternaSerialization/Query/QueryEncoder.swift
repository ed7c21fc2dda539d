public import SternaCore

/// Writes ``Parameters`` as the text of a query or of an `application/x-www-form-urlencoded` body.
///
/// The defaults are AFNetworking 4's. Keys are in ascending order at every level. A nested dictionary is `phone[mobile]=1`, an
/// array `tags[]=a`, and a set repeats its key, with the values ordered by their text. Null is the bare key, and an empty container
/// is left out. Names and values are percent-encoded completely, including brackets.
///
/// An encoder is a value; it can be archived with `Codable` unless one of its options is a closure.
public struct QueryEncoder: Sendable {
    /// The format of arrays; ``ArrayStyle/brackets`` by default. An array's elements keep their order in every style.
    public var arrays: ArrayStyle = .brackets { didSet { own.insert(.arrays) } }
    /// The format of booleans; ``BooleanStyle/numeric`` by default.
    public var booleans: BooleanStyle = .numeric { didSet { own.insert(.booleans) } }
    /// The format of bytes; ``DataStyle/base64`` by default.
    public var data: DataStyle = .base64 { didSet { own.insert(.data) } }
    /// The format of dates; ``DateStyle/iso8601`` by default.
    public var dates: DateStyle = .iso8601 { didSet { own.insert(.dates) } }
    /// The format of sets; ``SetStyle/repeatedKey`` by default.
    public var sets: SetStyle = .repeatedKey { didSet { own.insert(.sets) } }
    /// The format of floating point numbers; ``NumberStyle/shortest`` by default.
    public var numbers: NumberStyle = .shortest { didSet { own.insert(.numbers) } }
    /// The conversion of each key before it becomes part of a name; ``KeyStyle/asIs`` by default.
    public var keys: KeyStyle = .asIs { didSet { own.insert(.keys) } }
    /// The format of a nested value's name; ``NestingStyle/brackets`` by default.
    public var nesting: NestingStyle = .brackets { didSet { own.insert(.nesting) } }
    /// The format of null; ``NullStyle/bareKey`` by default.
    public var nulls: NullStyle = .bareKey { didSet { own.insert(.nulls) } }
    /// The escape of spaces; ``SpaceStyle/percent`` by default.
    public var spaces: SpaceStyle = .percent { didSet { own.insert(.spaces) } }
    /// The characters that names keep unescaped; ``AllowedCharacters/query`` by default.
    public var allowedInNames: AllowedCharacters = .query { didSet { own.insert(.allowedInNames) } }
    /// The characters that values keep unescaped; ``AllowedCharacters/query`` by default.
    public var allowedInValues: AllowedCharacters = .query { didSet { own.insert(.allowedInValues) } }
    /// The character set of the percent-encoded bytes; ``TextEncoding/utf8`` by default, which is also used for the other Unicode
    /// forms.
    public var encoding: TextEncoding = .utf8 { didSet { own.insert(.encoding) } }
    /// The treatment of characters that the set lacks; ``UnencodableStyle/fail`` by default.
    public var unencodable: UnencodableStyle = .fail { didSet { own.insert(.unencodable) } }
    /// Whether keys are sorted in ascending order at every level, as `String` compares them, before ``keys`` changes them; true by
    /// default. If false, they keep the given order.
    public var sortsKeys: Bool = true { didSet { own.insert(.sortsKeys) } }

    /// Whether nil members of an `Encodable` value become null, in the format of ``nulls``; false by default, which leaves them
    /// out, like synthesized conformances.
    public var keepsNilMembers: Bool = false { didSet { own.insert(.keepsNilMembers) } }

    // The options that the caller has set, which no style replaces.
    var own: Options = []

    /// Makes an encoder.
    public init(
        arrays: ArrayStyle = .brackets,
        booleans: BooleanStyle = .numeric,
        data: DataStyle = .base64,
        dates: DateStyle = .iso8601,
        keys: KeyStyle = .asIs,
        nesting: NestingStyle = .brackets,
        nulls: NullStyle = .bareKey,
        spaces: SpaceStyle = .percent,
        allowed: AllowedCharacters = .query,
        encoding: TextEncoding = .utf8,
        unencodable: UnencodableStyle = .fail,
        sortsKeys: Bool = true,
        sets: SetStyle = .repeatedKey,
        numbers: NumberStyle = .shortest,
        keepsNilMembers: Bool = false
    ) {
        self.arrays = arrays
        self.booleans = booleans
        self.data = data
        self.dates = dates
        self.keys = keys
        self.nesting = nesting
        self.nulls = nulls
        self.spaces = spaces
        self.allowedInNames = allowed
        self.allowedInValues = allowed
        self.encoding = encoding
        self.unencodable = unencodable
        self.sortsKeys = sortsKeys
        self.sets = sets
        self.numbers = numbers
        self.keepsNilMembers = keepsNilMembers
    }

    /// Encodes parameters as the text of a query, without a leading `?`.
    ///
    /// - Throws: ``ParameterError`` if containers are nested deeper than ``Parameters/maximumDepth``, a date lies outside the years
    ///   0000 to 9999, the character set lacks a character, or a closure of the caller throws.
    public func encode(_ parameters: Parameters) throws(ParameterError) -> String {
        String(decoding: try encodedBytes(parameters), as: UTF8.self)
    }

    /// Encodes an `Encodable` value as the text of a query; it must encode as a dictionary at the top.
    ///
    /// - Throws: ``ParameterError`` as ``encode(_:)-(Parameters)`` and ``Parameters/init(encoding:keepingNils:)`` do.
    public func encode(_ value: some Encodable) throws(ParameterError) -> String {
        try encode(try Parameters(encoding: value, keepingNils: keepsNilMembers))
    }

    /// Encodes parameters as the bytes of a form body, all of them ASCII.
    ///
    /// - Throws: ``ParameterError`` as ``encode(_:)-(Parameters)`` does.
    public func encodedBytes(_ parameters: Parameters) throws(ParameterError) -> [UInt8] {
        var walker = FieldWalker(encoder: self, sink: EscapedFields(self))
        try walker.walk(parameters)
        return walker.sink.bytes
    }

    /// Encodes names and values, which may repeat, unchanged and in order.
    func encodedBytes(of pairs: some Sequence<(String, String)>) throws(ParameterError) -> [UInt8] {
        var sink = EscapedFields(self)
        for (name, value) in pairs { try sink.add(name: Array(name.utf8), value: value) }
        return sink.bytes
    }

    /// Returns the fields of the parameters, in order and before percent-encoding.
    ///
    /// - Throws: ``ParameterError`` as ``encode(_:)-(Parameters)`` does.
    package func fields(_ parameters: Parameters) throws(ParameterError) -> [Field] {
        var walker = FieldWalker(encoder: self, sink: PlainFields())
        try walker.walk(parameters)
        return walker.sink.fields
    }

    /// Percent-encodes a text like names and values, with a space as `%20`.
    ///
    /// Keeps the unreserved characters of RFC 3986, section 2.3, and `/` and `?`; every other byte of the UTF-8 form
    /// becomes upper-case hexadecimal.
    public static func percentEncoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        AllowedCharacters.query.append(text, spaces: .percent, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A name and its value, before percent-encoding.
    package struct Field: Sendable, Hashable {
        /// The whole name, such as `phone[mobile]`.
        package var name: String
        /// The value's text; nil for a bare name.
        package var value: String?

        package init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }
}

extension QueryEncoder {
    /// The format of AFNetworking 4 and 3, the default of this library.
    public static let afnetworking4 = QueryEncoder()

    /// AFNetworking 2's format: as 4's, but a name keeps `[`, `]` and `.`, and `/` and `?` are escaped everywhere.
    public static let afnetworking2: QueryEncoder = {
        var encoder = QueryEncoder(allowed: .unreserved)
        encoder.allowedInNames = .unreserved.adding("[].")
        return encoder.asPreset
    }()

    /// Alamofire 5's format: as AFNetworking 4's, but a floating point number is `1.0`, a date its seconds since 2001
    /// (`600000000.0`), a set is an array, and null is left out.
    ///
    /// Alamofire also sorts the elements of arrays by their text; here they keep their order.
    public static let alamofire = QueryEncoder(dates: .deferred, nulls: .omitted, sets: .array, numbers: .fraction)

    /// The URL Standard's `application/x-www-form-urlencoded`: a space as `+`, null as `key=`, the given order.
    public static let whatwgForm = QueryEncoder(
        nulls: .emptyValue, spaces: .plus, allowed: .whatwgForm, unencodable: .characterReference, sortsKeys: false)
}

private struct EscapedFields: FieldSink {
    let names: QueryEncoder.AllowedCharacters
    let values: QueryEncoder.AllowedCharacters
    let spaces: QueryEncoder.SpaceStyle
    // Nil for UTF-8, the encoding of Swift's strings.
    let conversion: CharacterConversion?
    var bytes: [UInt8] = []
    // Not derivable from `bytes`: an empty bare name adds none.
    private var isFirst = true

    init(_ encoder: QueryEncoder) {
        names = encoder.allowedInNames
        values = encoder.allowedInValues
        spaces = encoder.spaces
        let encoding = encoder.encoding.ofQueries
        conversion =
            encoding == .utf8 ? nil : CharacterConversion(encoding: encoding, unencodable: encoder.unencodable)
    }

    mutating func add(name: [UInt8], value: String?) throws(ParameterError) {
        if !isFirst { bytes.append(UInt8(ascii: "&")) }
        isFirst = false
        let name = try conversion?.bytes(String(decoding: name, as: UTF8.self)) ?? name
        name.withUnsafeBufferPointer { names.append($0, spaces: spaces, to: &bytes) }
        guard let value else { return }
        bytes.append(UInt8(ascii: "="))
        if let conversion {
            try conversion.bytes(value).withUnsafeBufferPointer { values.append($0, spaces: spaces, to: &bytes) }
        } else {
            values.append(value, spaces: spaces, to: &bytes)
        }
    }
}

private struct PlainFields: FieldSink {
    var fields: [QueryEncoder.Field] = []

    mutating func add(name: [UInt8], value: String?) {
        fields.append(QueryEncoder.Field(name: String(decoding: name, as: UTF8.self), value: value))
    }
}
