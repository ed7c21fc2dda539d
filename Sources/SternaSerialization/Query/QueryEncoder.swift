public import SternaCore

/// Writes ``Parameters`` as the text of a query or of an `application/x-www-form-urlencoded` body.
///
/// The defaults are AFNetworking 4's: keys in ascending order at every level, a nested dictionary as `phone[mobile]=1`,
/// an array as `tags[]=a`, a set as its key repeated with the values ordered by their text, null as the bare key, an
/// empty container as nothing, and names and values percent-encoded whole, brackets included.
///
/// An encoder is a value; it can be archived with `Codable` unless one of its options is a closure.
public struct QueryEncoder: Sendable {
    /// How arrays are written; ``ArrayStyle/brackets`` by default. An array's elements keep their order in every style.
    public var arrays: ArrayStyle = .brackets { didSet { own.insert(.arrays) } }
    /// How booleans are written; ``BooleanStyle/numeric`` by default.
    public var booleans: BooleanStyle = .numeric { didSet { own.insert(.booleans) } }
    /// How bytes are written; ``DataStyle/base64`` by default.
    public var data: DataStyle = .base64 { didSet { own.insert(.data) } }
    /// How dates are written; ``DateStyle/iso8601`` by default.
    public var dates: DateStyle = .iso8601 { didSet { own.insert(.dates) } }
    /// How sets are written; ``SetStyle/repeatedKey`` by default.
    public var sets: SetStyle = .repeatedKey { didSet { own.insert(.sets) } }
    /// How floating point numbers are written; ``NumberStyle/shortest`` by default.
    public var numbers: NumberStyle = .shortest { didSet { own.insert(.numbers) } }
    /// How each key is changed before it becomes part of a name; ``KeyStyle/asIs`` by default.
    public var keys: KeyStyle = .asIs { didSet { own.insert(.keys) } }
    /// How the name of a nested value is made; ``NestingStyle/brackets`` by default.
    public var nesting: NestingStyle = .brackets { didSet { own.insert(.nesting) } }
    /// How null is written; ``NullStyle/bareKey`` by default.
    public var nulls: NullStyle = .bareKey { didSet { own.insert(.nulls) } }
    /// How spaces are written; ``SpaceStyle/percent`` by default.
    public var spaces: SpaceStyle = .percent { didSet { own.insert(.spaces) } }
    /// The characters of names that are kept as they are; ``AllowedCharacters/query`` by default.
    public var allowedInNames: AllowedCharacters = .query { didSet { own.insert(.allowedInNames) } }
    /// The characters of values that are kept as they are; ``AllowedCharacters/query`` by default.
    public var allowedInValues: AllowedCharacters = .query { didSet { own.insert(.allowedInValues) } }
    /// The character set whose bytes percent-encoding shows; ``TextEncoding/utf8`` by default, which also stands for the
    /// other Unicode forms.
    public var encoding: TextEncoding = .utf8 { didSet { own.insert(.encoding) } }
    /// What becomes of characters that the set does not have; ``UnencodableStyle/fail`` by default.
    public var unencodable: UnencodableStyle = .fail { didSet { own.insert(.unencodable) } }
    /// Whether keys are put in ascending order at every level, as `String` compares them, before ``keys`` changes them; true
    /// by default. When false they keep the order they were given in.
    public var sortsKeys: Bool = true { didSet { own.insert(.sortsKeys) } }

    /// Whether members of an `Encodable` value that are nil become null, which ``nulls`` then writes; false by default,
    /// which leaves them out, as synthesized conformances do.
    public var keepsNilMembers: Bool = false { didSet { own.insert(.keepsNilMembers) } }

    // The options that the caller has set, which a style leaves alone.
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

    /// The parameters as the text of a query, without a leading `?`.
    ///
    /// - Throws: ``ParameterError`` when containers are nested deeper than ``Parameters/maximumDepth``, a date lies
    ///   outside the years 0000 to 9999, a character is not in the character set, or a closure of the caller's throws.
    public func encode(_ parameters: Parameters) throws(ParameterError) -> String {
        String(decoding: try encodedBytes(parameters), as: UTF8.self)
    }

    /// An `Encodable` value as the text of a query; it must come to a dictionary at the top.
    ///
    /// - Throws: ``ParameterError`` as ``encode(_:)-(Parameters)`` and ``Parameters/init(encoding:keepingNils:)`` do.
    public func encode(_ value: some Encodable) throws(ParameterError) -> String {
        try encode(try Parameters(encoding: value, keepingNils: keepsNilMembers))
    }

    /// The parameters as the bytes of a form body, all of them ASCII.
    ///
    /// - Throws: ``ParameterError`` as ``encode(_:)-(Parameters)`` does.
    public func encodedBytes(_ parameters: Parameters) throws(ParameterError) -> [UInt8] {
        var walker = FieldWalker(encoder: self, sink: EscapedFields(self))
        try walker.walk(parameters)
        return walker.sink.bytes
    }

    /// Names and values that may repeat, each as it is, in their order.
    func encodedBytes(of pairs: some Sequence<(String, String)>) throws(ParameterError) -> [UInt8] {
        var sink = EscapedFields(self)
        for (name, value) in pairs { try sink.add(name: Array(name.utf8), value: value) }
        return sink.bytes
    }

    /// The fields that the parameters come to, in order and before percent-encoding.
    ///
    /// - Throws: ``ParameterError`` as ``encode(_:)-(Parameters)`` does.
    public func fields(_ parameters: Parameters) throws(ParameterError) -> [Field] {
        var walker = FieldWalker(encoder: self, sink: PlainFields())
        try walker.walk(parameters)
        return walker.sink.fields
    }

    /// A text percent-encoded as names and values are, with a space as `%20`.
    ///
    /// Kept are the unreserved characters of RFC 3986, section 2.3, and `/` and `?`; every other byte of the UTF-8 form
    /// is written in upper-case hexadecimal.
    public static func percentEncoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        AllowedCharacters.query.append(text, spaces: .percent, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A name and its value before percent-encoding.
    public struct Field: Sendable, Hashable {
        /// The whole name, such as `phone[mobile]`.
        public var name: String
        /// The value's text; nil stands for a bare name.
        public var value: String?

        /// Makes a field.
        public init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }
}

extension QueryEncoder {
    /// AFNetworking 4's and 3's form, the default of this library.
    public static let afnetworking4 = QueryEncoder()

    /// AFNetworking 2's form: as 4's, but a name keeps `[`, `]` and `.`, and `/` and `?` are escaped everywhere.
    public static let afnetworking2: QueryEncoder = {
        var encoder = QueryEncoder(allowed: .unreserved)
        encoder.allowedInNames = .unreserved.adding("[].")
        return encoder.asPreset
    }()

    /// Alamofire 5's form: as AFNetworking 4's, but a number is `1.0`, a date its seconds since 2001 (`600000000.0`), a set
    /// is an array, and null is nothing.
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
    // Nil for UTF-8, which is what text is made of.
    let conversion: CharacterConversion?
    var bytes: [UInt8] = []
    // Not told by the bytes: a bare name that is empty has none.
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
