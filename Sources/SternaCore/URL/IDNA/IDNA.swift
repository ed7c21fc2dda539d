/// Converts host names outside ASCII to ASCII by the WHATWG URL Standard (3.3, "domain to ASCII").
///
/// That is UTS #46, ToASCII, with CheckBidi and CheckJoiners; without CheckHyphens, UseSTD3ASCIIRules,
/// Transitional_Processing, VerifyDnsLength and IgnoreInvalidPunycode.
enum IDNA {
    /// The maximum number of code points after mapping, because the time for Punycode grows with its square.
    static let maximumLength = 1_024

    /// Returns the name with `xn--` labels, in lower case.
    ///
    /// - Throws: ``HTTPURL/ParseError/hostNotEncodable`` if the name has no ASCII form.
    static func ascii(_ host: String) throws(HTTPURL.ParseError) -> [UInt8] {
        var labels: [Label] = []
        for label in Normalization.nfc(try mapped(host)).split(separator: 0x2E, omittingEmptySubsequences: false) {
            labels.append(try Label(label))
        }
        // A right-to-left label subjects all labels of the name to the Bidi rule.
        if labels.contains(where: \.isBidi), !labels.allSatisfy(\.satisfiesBidiRule) {
            throw .hostNotEncodable
        }
        return Array(labels.map(\.ascii).joined(separator: [UInt8(ascii: ".")]))
    }

    private static func mapped(_ host: String) throws(HTTPURL.ParseError) -> [UInt32] {
        var output: [UInt32] = []
        for scalar in host.unicodeScalars {
            switch IDNATables.mappings.status(of: scalar.value) {
            case .valid: output.append(scalar.value)
            case .ignored: break
            case .mapped(let scalars): output += scalars
            case .refused: throw .hostNotEncodable
            }
            guard output.count <= maximumLength else { throw .tooLong }
        }
        return output
    }

    /// A label that meets the validity criteria (UTS #46, 4.1), as Unicode.
    private struct Label {
        private let scalars: [UInt32]
        private let groups: [IDNATables.Attribute.Bidi]

        init(_ label: ArraySlice<UInt32>) throws(HTTPURL.ParseError) {
            scalars = label.starts(with: Self.prefix) ? try Self.decoded(label) : Array(label)
            groups = scalars.map { IDNATables.attributes[$0].bidi }
            guard !scalars.starts(with: Self.prefix), Self.satisfiesJoinerRules(scalars),
                scalars.first.map({ IDNATables.attributes[$0].isMark }) != true
            else { throw .hostNotEncodable }
        }

        /// `xn--`.
        private static let prefix: [UInt32] = [0x78, 0x6E, 0x2D, 0x2D]

        private static func decoded(_ label: ArraySlice<UInt32>) throws(HTTPURL.ParseError) -> [UInt32] {
            guard let scalars = Punycode.decode(label.dropFirst(prefix.count)),
                scalars.contains(where: { $0 >= 0x80 }), !scalars.contains(0x2E)
            else { throw .hostNotEncodable }
            for scalar in scalars {
                guard case .valid = IDNATables.mappings.status(of: scalar) else { throw .hostNotEncodable }
            }
            guard Normalization.nfc(scalars) == scalars else { throw .hostNotEncodable }
            return scalars
        }

        var ascii: [UInt8] {
            guard scalars.contains(where: { $0 >= 0x80 }) else { return scalars.map { UInt8(truncatingIfNeeded: $0) } }
            return Self.prefix.map { UInt8(truncatingIfNeeded: $0) } + Punycode.encode(scalars)
        }

        /// Whether it contains a right-to-left character or an Arabic number.
        var isBidi: Bool { groups.contains { $0 == .right || $0 == .arabicNumber } }

        /// Whether the label satisfies the Bidi rule (RFC 5893, 2).
        var satisfiesBidiRule: Bool {
            guard let first = groups.first else { return true }
            let last = groups.last { $0 != .nonspacing }
            switch first {
            case .right:
                let allowed: [IDNATables.Attribute.Bidi] = [
                    .right, .arabicNumber, .europeanNumber, .neutral, .nonspacing,
                ]
                return groups.allSatisfy(allowed.contains)
                    && (last == .right || last == .europeanNumber || last == .arabicNumber)
                    && !(groups.contains(.europeanNumber) && groups.contains(.arabicNumber))
            case .left:
                let allowed: [IDNATables.Attribute.Bidi] = [.left, .europeanNumber, .neutral, .nonspacing]
                return groups.allSatisfy(allowed.contains) && (last == .left || last == .europeanNumber)
            default: return false
            }
        }

        /// Checks the rules for U+200C and U+200D (RFC 5892, A.1 and A.2).
        private static func satisfiesJoinerRules(_ scalars: [UInt32]) -> Bool {
            for (place, scalar) in scalars.enumerated() where scalar == 0x200C || scalar == 0x200D {
                let before = scalars[..<place]
                guard let neighbour = before.last else { return false }
                // After a virama both are allowed; U+200C is also allowed between joining letters.
                if IDNATables.attributes[neighbour].combiningClass == 9 { continue }
                guard scalar == 0x200C,
                    let left = before.last(where: isNotTransparent), [.left, .dual].contains(joining(left)),
                    let right = scalars[(place + 1)...].first(where: isNotTransparent),
                    [.right, .dual].contains(joining(right))
                else { return false }
            }
            return true
        }

        private static func joining(_ scalar: UInt32) -> IDNATables.Attribute.Joining {
            IDNATables.attributes[scalar].joining
        }

        private static func isNotTransparent(_ scalar: UInt32) -> Bool { joining(scalar) != .transparent }
    }
}

/// Normalization form C (Unicode, 3.11) of code points that are valid in host names.
private enum Normalization {
    static func nfc(_ scalars: [UInt32]) -> [UInt32] {
        if scalars.allSatisfy({ $0 < 0x80 }) { return scalars }
        return composed(ordered(decomposed(scalars)))
    }

    private static func decomposed(_ scalars: [UInt32]) -> [UInt32] {
        var output: [UInt32] = []
        for scalar in scalars {
            if let parts = hangulParts(scalar) {
                output += parts
                continue
            }
            // Only the first part may be a composite itself.
            var seconds: [UInt32] = []
            var first = scalar
            while let parts = IDNATables.composites.parts(of: first) {
                first = parts.first
                seconds.append(parts.second)
            }
            output.append(first)
            output += seconds.reversed()
        }
        return output
    }

    /// Sorts consecutive marks by their combining class; the sort is stable.
    private static func ordered(_ scalars: [UInt32]) -> [UInt32] {
        let classes = scalars.map { IDNATables.attributes[$0].combiningClass }
        guard classes.contains(where: { $0 != 0 }) else { return scalars }
        var places = Array(scalars.indices)
        var start = 0
        while start < places.count {
            var end = start + 1
            if classes[start] != 0 {
                while end < places.count, classes[end] != 0 { end += 1 }
                places[start..<end].sort { (classes[$0], $0) < (classes[$1], $1) }
            }
            start = end
        }
        return places.map { scalars[$0] }
    }

    private static func composed(_ scalars: [UInt32]) -> [UInt32] {
        var output: [UInt32] = []
        var starter: Int?
        // The class of the last code point that stays after the starter; nil if there is none.
        var lastClass: UInt8?
        for scalar in scalars {
            let combiningClass = IDNATables.attributes[scalar].combiningClass
            if let place = starter, lastClass.map({ $0 != 0 && $0 < combiningClass }) ?? true,
                let whole = hangul(output[place], scalar) ?? IDNATables.composites.whole(output[place], scalar)
            {
                output[place] = whole
                continue
            }
            output.append(scalar)
            if combiningClass == 0 {
                starter = output.count - 1
                lastClass = nil
            } else {
                lastClass = combiningClass
            }
        }
        return output
    }

    // MARK: Hangul (Unicode, 3.12)

    private static func hangulParts(_ scalar: UInt32) -> [UInt32]? {
        guard (0xAC00...0xD7A3).contains(scalar) else { return nil }
        let index = scalar - 0xAC00
        let parts = [0x1100 + index / 588, 0x1161 + index % 588 / 28]
        return index % 28 == 0 ? parts : parts + [0x11A7 + index % 28]
    }

    private static func hangul(_ first: UInt32, _ second: UInt32) -> UInt32? {
        if (0x1100...0x1112).contains(first), (0x1161...0x1175).contains(second) {
            return 0xAC00 + ((first - 0x1100) * 21 + second - 0x1161) * 28
        }
        if (0xAC00...0xD7A3).contains(first), (first - 0xAC00) % 28 == 0, (0x11A8...0x11C2).contains(second) {
            return first + second - 0x11A7
        }
        return nil
    }
}
