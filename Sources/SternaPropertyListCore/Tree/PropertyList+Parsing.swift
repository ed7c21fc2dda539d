public import SternaSerialization

extension PropertyList {
    package init(parsing bytes: UnsafeRawBufferPointer, limits: ParseLimits = ParseLimits()) throws(ParseError) {
        // Any memory may be bound to bytes, and the caller keeps it for the duration of the call.
        let bytes = bytes.bindMemory(to: UInt8.self)
        let isBinary = PropertyListBinaryParser.begins(bytes)
        do throws(PropertyListFault) {
            guard bytes.count <= limits.bytes else {
                throw PropertyListFault(.tooLarge(limit: limits.bytes), max(0, limits.bytes))
            }
            if isBinary {
                var parser = try PropertyListBinaryParser(bytes, limits: limits)
                self = try parser.parse()
            } else {
                var parser = PropertyListXMLParser(bytes, limits: limits)
                self = try parser.parse()
            }
        } catch {
            throw ParseError(error, in: isBinary ? nil : bytes)
        }
    }

    /// Parses a property list in XML or binary form, which it detects.
    ///
    /// The grammar is strict; the parser does not fetch the document type, and supports only XML's predefined entities. A byte
    /// order mark may precede XML. If a dictionary repeats a name, the last value counts.
    ///
    /// - Throws: ``ParseError`` at the first fault.
    public init(parsing bytes: some Sequence<UInt8>, limits: ParseLimits = ParseLimits()) throws(ParseError) {
        let result = bytes.withContiguousStorageIfAvailable { Self.parse($0, limits: limits) }
        self = try (result ?? Array(bytes).withUnsafeBufferPointer { Self.parse($0, limits: limits) }).get()
    }

    /// Parses a property list in XML, as ``init(parsing:limits:)-(Sequence<UInt8>,_)`` does.
    ///
    /// - Throws: ``ParseError`` at the first fault.
    public init(parsing text: some StringProtocol, limits: ParseLimits = ParseLimits()) throws(ParseError) {
        var text = String(text)
        self = try text.withUTF8 { Self.parse($0, limits: limits) }.get()
    }

    // The standard library's closures do not carry typed errors.
    private static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, limits: ParseLimits
    ) -> Result<PropertyList, ParseError> {
        Result { () throws(ParseError) in try PropertyList(parsing: UnsafeRawBufferPointer(bytes), limits: limits) }
    }
}
