public import SternaCore

/// Writes ``Parameters`` as the text of a query or of an `application/x-www-form-urlencoded` body.
///
/// The defaults are AFNetworking 4's: keys in ascending order at every level, a nested dictionary as `phone[mobile]=1`,
/// an array as `tags[]=a`, a set as its key repeated with the values ordered by their text, null as the bare key, an
/// empty container as nothing, and names and values percent-encoded whole, brackets included.
public struct QueryEncoder: Sendable {
    /// How the name of an array's element is made from the array's name.
    public enum ArrayStyle: Sendable {
        /// `tags[]=a&tags[]=b`.
        case brackets
        /// `tags=a&tags=b`.
        case none
        /// `tags[0]=a&tags[1]=b`.
        case indices
        /// The name that the closure makes from the array's name and the element's index, which counts from 0.
        case custom(@Sendable (_ name: String, _ index: Int) -> String)
    }

    /// How a boolean is written.
    public enum BooleanStyle: Sendable, Hashable {
        /// `1` and `0`.
        case numeric
        /// `true` and `false`.
        case literal
    }

    /// How a space is written.
    public enum SpaceStyle: Sendable, Hashable {
        /// `%20`, as in a URI (RFC 3986, section 2.1).
        case percent
        /// `+`, as in the form format of the URL Standard; a plus sign itself is `%2B` in either style.
        case plus
    }

    /// How null is written.
    public enum NullStyle: Sendable, Hashable {
        /// `key`.
        case bareKey
        /// `key=`.
        case emptyValue
        /// `key=null`.
        case literal
        /// Nothing at all.
        case omitted
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

    /// How arrays are written; ``ArrayStyle/brackets`` by default.
    public var arrays: ArrayStyle
    /// How booleans are written; ``BooleanStyle/numeric`` by default.
    public var booleans: BooleanStyle
    /// How spaces are written; ``SpaceStyle/percent`` by default.
    public var spaces: SpaceStyle
    /// How null is written; ``NullStyle/bareKey`` by default.
    public var nulls: NullStyle
    /// Whether keys are put in ascending order of their Unicode scalars at every level; true by default. When false
    /// they keep the order they were given in.
    public var sortsKeys: Bool

    /// Makes an encoder.
    public init(
        arrays: ArrayStyle = .brackets,
        booleans: BooleanStyle = .numeric,
        spaces: SpaceStyle = .percent,
        nulls: NullStyle = .bareKey,
        sortsKeys: Bool = true
    ) {
        self.arrays = arrays
        self.booleans = booleans
        self.spaces = spaces
        self.nulls = nulls
        self.sortsKeys = sortsKeys
    }

    /// The parameters as the text of a query, without a leading `?`.
    ///
    /// - Throws: ``ParameterError`` when containers are nested deeper than ``Parameters/maximumDepth`` or a date lies
    ///   outside the years 0000 to 9999.
    public func encode(_ parameters: Parameters) throws(ParameterError) -> String {
        String(decoding: try encodedBytes(parameters), as: UTF8.self)
    }

    /// The parameters as the bytes of a form body, all of them ASCII.
    ///
    /// - Throws: ``ParameterError`` as ``encode(_:)`` does.
    public func encodedBytes(_ parameters: Parameters) throws(ParameterError) -> [UInt8] {
        var walker = FieldWalker(encoder: self, sink: EscapedFields(spaces: spaces))
        try walker.walk(parameters)
        return walker.sink.bytes
    }

    /// The fields that the parameters come to, in order and before percent-encoding.
    ///
    /// - Throws: ``ParameterError`` as ``encode(_:)`` does.
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
        PercentEncoding.queryValue.append(text, spaces: .percent, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

private struct EscapedFields: FieldSink {
    let spaces: QueryEncoder.SpaceStyle
    var bytes: [UInt8] = []

    mutating func add(name: [UInt8], value: String?) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        name.withUnsafeBufferPointer { PercentEncoding.queryValue.append($0, spaces: spaces, to: &bytes) }
        if let value {
            bytes.append(UInt8(ascii: "="))
            PercentEncoding.queryValue.append(value, spaces: spaces, to: &bytes)
        }
    }
}

private struct PlainFields: FieldSink {
    var fields: [QueryEncoder.Field] = []

    mutating func add(name: [UInt8], value: String?) {
        fields.append(QueryEncoder.Field(name: String(decoding: name, as: UTF8.self), value: value))
    }
}
