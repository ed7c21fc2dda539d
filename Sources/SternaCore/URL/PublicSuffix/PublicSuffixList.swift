/// The public suffixes: domains under which the public can register names, such as `com`, `co.uk` and `github.io`
/// (https://publicsuffix.org).
///
/// A cookie for all hosts of such a domain would reach unrelated sites. Hosts are in the form of ``HTTPURL/host``: lower-case names
/// in ASCII, or addresses. A trailing dot is ignored. If no rule covers a domain, its last label is the public suffix, so
/// `localhost` is one and `printer.local` is not. Private domains of the list count like all others.
public struct PublicSuffixList: Sendable {
    /// The list that was current when this version of the library was made.
    public static let builtIn = PublicSuffixList(rules: .builtIn, depth: PublicSuffixTable.depth)

    private let rules: Rules
    /// The maximum number of labels of a rule, including its wildcard.
    private let depth: Int

    private enum Rules: Sendable {
        case builtIn
        case loaded([UInt8])
    }

    private init(rules: Rules, depth: Int) {
        self.rules = rules
        self.depth = depth
    }

    /// Makes a list of rules in the format of the built-in table.
    init(sorted rules: [UInt8], depth: Int) { self.init(rules: .loaded(rules), depth: depth) }

    /// Returns the public suffix of a host, which may be the host itself; nil for an address and an invalid name.
    package func publicSuffix(of host: String) -> String? {
        split(host, 0)
    }

    /// Returns the public suffix of a host with the label before it; nil for an address, a public suffix and an invalid name.
    ///
    /// A trailing dot is removed.
    public func registrableDomain(of host: String) -> String? {
        split(host, 1)
    }

    /// Returns whether a host is a public suffix; false for an address.
    package func isPublicSuffix(_ host: String) -> Bool {
        var host = host
        return host.withUTF8 { bytes in
            guard let name = Name(bytes) else { return false }
            return labels(of: name) == name.count
        }
    }

    /// Returns the labels of a host's public suffix and `more` labels before it; nil if the host has fewer.
    private func split(_ host: String, _ more: Int) -> String? {
        var host = host
        return host.withUTF8 { bytes -> String? in
            guard let name = Name(bytes) else { return nil }
            let count = labels(of: name) + more
            guard count <= name.count else { return nil }
            return String(decoding: name.last(count), as: UTF8.self)
        }
    }

    /// Returns the number of labels of the name's public suffix (https://publicsuffix.org/list/#list-format).
    private func labels(of name: Name) -> Int {
        // The default rule is "*".
        var found = 1
        var kindBefore: SortedRules.Kind = []
        for labels in 1...max(min(name.count, depth + 1), 1) {
            let kind = self.kind(of: name.last(labels))
            // An exception precedes all other rules; its public suffix lacks the first label.
            if kind.contains(.exception) { return max(labels - 1, 1) }
            if kind.contains(.suffix) || kindBefore.contains(.wildcard) { found = labels }
            kindBefore = kind
        }
        return found
    }

    private func kind(of domain: Slice<UnsafeBufferPointer<UInt8>>) -> SortedRules.Kind {
        switch rules {
        case .builtIn:
            PublicSuffixTable.part(domain.first ?? 0).withUTF8Buffer { SortedRules(text: $0).kind(of: domain) }
        case .loaded(let bytes): bytes.withUnsafeBufferPointer { SortedRules(text: $0).kind(of: domain) }
        }
    }
}

extension PublicSuffixList {
    /// A host name without its trailing dot.
    fileprivate struct Name {
        let bytes: UnsafeBufferPointer<UInt8>
        /// The number of labels.
        let count: Int

        /// The maximum length of a host, in bytes; longer than DNS names can be.
        private static let limit = 1_024

        /// Makes a name; nil for an address, and for a name with an empty label.
        init?(_ host: UnsafeBufferPointer<UInt8>) {
            let dot = UInt8(ascii: ".")
            let bytes = UnsafeBufferPointer(rebasing: host.last == dot ? host.dropLast() : host[...])
            guard let first = bytes.first, first != dot, bytes.last != dot, first != UInt8(ascii: "["),
                bytes.count <= Self.limit
            else { return nil }
            var count = 1
            var last = first
            var lastLabel = 0
            for (index, byte) in bytes.enumerated() {
                if byte == dot {
                    guard last != dot else { return nil }
                    count += 1
                    lastLabel = index + 1
                }
                if byte == UInt8(ascii: ":") { return nil }
                last = byte
            }
            // A number at the end makes an address. Checked only after a digit, since no top-level domain begins with one.
            if let digit = bytes.dropFirst(lastLabel).first, digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9"),
                IPv4.endsInNumber(Array(bytes))
            {
                return nil
            }
            self.bytes = bytes
            self.count = count
        }

        /// The last labels; all of them if there are fewer.
        func last(_ labels: Int) -> Slice<UnsafeBufferPointer<UInt8>> {
            var left = labels
            var start = bytes.endIndex
            while start > bytes.startIndex {
                if bytes[start - 1] == UInt8(ascii: ".") {
                    left -= 1
                    if left == 0 { break }
                }
                start -= 1
            }
            return bytes[start...]
        }
    }
}

/// Rules in the format described in scripts/public-suffixes.
private struct SortedRules {
    let text: UnsafeBufferPointer<UInt8>

    struct Kind: OptionSet {
        let rawValue: UInt8

        static let suffix = Kind(rawValue: 1)
        static let wildcard = Kind(rawValue: 2)
        static let exception = Kind(rawValue: 4)
    }

    /// Returns the kinds of rules for a domain; empty without a rule.
    func kind(of domain: Slice<UnsafeBufferPointer<UInt8>>) -> Kind {
        var (low, high) = (0, text.count)
        while low < high {
            var start = low + (high - low) / 2
            while start > low, !Self.isSeparator(text[start - 1]) { start -= 1 }
            var end = start
            var place = domain.startIndex
            // All other bytes are below those of domains.
            while end < text.count, text[end] >= 0x2D, place < domain.endIndex, text[end] == domain[place] {
                end += 1
                place += 1
            }
            let byte = end < text.count ? text[end] : 0x20
            if byte < 0x2D {
                if place == domain.endIndex { return Self.kind(byte) }
                // The rule is a prefix of the domain, and precedes it.
            } else if place == domain.endIndex || domain[place] < byte {
                high = start
                continue
            }
            while end < text.count, !Self.isSeparator(text[end]) { end += 1 }
            low = min(end + 1, high)
        }
        return []
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A }

    private static func kind(_ byte: UInt8) -> Kind {
        switch byte {
        case UInt8(ascii: "*"): .wildcard
        case UInt8(ascii: "&"): [.suffix, .wildcard]
        case UInt8(ascii: "!"): .exception
        default: .suffix
        }
    }
}
