extension QueryEncoder {
    /// The options of an encoder, one bit each.
    struct Options: OptionSet, Sendable, Hashable, Codable {
        let rawValue: UInt32

        static let arrays = Options(rawValue: 1 << 0)
        static let booleans = Options(rawValue: 1 << 1)
        static let data = Options(rawValue: 1 << 2)
        static let dates = Options(rawValue: 1 << 3)
        static let keys = Options(rawValue: 1 << 4)
        static let nesting = Options(rawValue: 1 << 5)
        static let nulls = Options(rawValue: 1 << 6)
        static let spaces = Options(rawValue: 1 << 7)
        static let allowedInNames = Options(rawValue: 1 << 8)
        static let allowedInValues = Options(rawValue: 1 << 9)
        static let encoding = Options(rawValue: 1 << 10)
        static let unencodable = Options(rawValue: 1 << 11)
        static let sortsKeys = Options(rawValue: 1 << 12)
        static let sets = Options(rawValue: 1 << 13)
        static let numbers = Options(rawValue: 1 << 14)
        static let keepsNilMembers = Options(rawValue: 1 << 15)
        static let all = Options(rawValue: 1 << 16 - 1)
    }

    /// The encoder as part of a style: another style replaces all its options.
    var asPreset: QueryEncoder {
        var encoder = self
        encoder.own = []
        return encoder
    }

    /// The encoder with all options marked as set by the caller, so that no style replaces them.
    var asOwn: QueryEncoder {
        var encoder = self
        encoder.own = .all
        return encoder
    }

    /// Returns this style's encoder with the options that the caller has set in an earlier one.
    func keepingOwn(of earlier: QueryEncoder) -> QueryEncoder {
        let kept = earlier.own.subtracting(own)
        guard !kept.isEmpty else { return self }
        var encoder = self
        if kept.contains(.arrays) { encoder.arrays = earlier.arrays }
        if kept.contains(.booleans) { encoder.booleans = earlier.booleans }
        if kept.contains(.data) { encoder.data = earlier.data }
        if kept.contains(.dates) { encoder.dates = earlier.dates }
        if kept.contains(.keys) { encoder.keys = earlier.keys }
        if kept.contains(.nesting) { encoder.nesting = earlier.nesting }
        if kept.contains(.nulls) { encoder.nulls = earlier.nulls }
        if kept.contains(.spaces) { encoder.spaces = earlier.spaces }
        if kept.contains(.allowedInNames) { encoder.allowedInNames = earlier.allowedInNames }
        if kept.contains(.allowedInValues) { encoder.allowedInValues = earlier.allowedInValues }
        if kept.contains(.encoding) { encoder.encoding = earlier.encoding }
        if kept.contains(.unencodable) { encoder.unencodable = earlier.unencodable }
        if kept.contains(.sortsKeys) { encoder.sortsKeys = earlier.sortsKeys }
        if kept.contains(.sets) { encoder.sets = earlier.sets }
        if kept.contains(.numbers) { encoder.numbers = earlier.numbers }
        if kept.contains(.keepsNilMembers) { encoder.keepsNilMembers = earlier.keepsNilMembers }
        return encoder
    }
}
