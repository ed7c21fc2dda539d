import HTTPTypes
import SternaCore

/// The directives of Cache-Control (RFC 9111, 5.2; RFC 5861, 3 and 4; RFC 8246, 2).
///
/// Unreadable parts restrict the cache: an invalid number of seconds counts as 0, an invalid list of names as the whole response. A
/// field with invalid syntax permits nothing, but the restrictions named in it hold.
enum CacheControl {
    /// The greatest number of seconds; greater values count as it (RFC 9111, 1.2.2).
    static let longest: Int64 = 1 << 31

    /// A directive that may be limited to some fields, such as `no-cache="set-cookie"`.
    enum Extent: Sendable, Hashable {
        case absent
        /// The directive applies to the named fields only; names are in lower case.
        case fields(Set<String>)
        /// The directive applies to the whole response.
        case everything

        /// Adds another occurrence of the directive.
        mutating func formUnion(_ other: Extent) {
            switch (self, other) {
            case (_, .absent), (.everything, _): break
            case (.fields(let mine), .fields(let others)): self = .fields(mine.union(others))
            default: self = other
            }
        }
    }

    /// The directives of a response.
    struct Response: Sendable, Hashable {
        /// Seconds; nil if absent, 0 if it is invalid or its occurrences differ.
        var maxAge: Int64?
        /// Like ``maxAge``, for shared caches.
        var sharedMaxAge: Int64?
        var noStore = false
        var noCache = Extent.absent
        var isPrivate = Extent.absent
        var isPublic = false
        var mustRevalidate = false
        var proxyRevalidate = false
        var immutable = false
        /// Whether the response may be stored only if the cache implements its status.
        var mustUnderstand = false
        /// Seconds after the response became stale; nil if absent.
        var staleWhileRevalidate: Int64?
        /// Seconds after the response became stale; nil if absent.
        var staleIfError: Int64?
        /// Whether a part of the field is unreadable: the response then counts as stale, and must not be served stale.
        var isMalformed = false

        init() {}

        init(_ lines: [String]) {
            guard !lines.isEmpty else { return }
            let reader = DirectiveList(lines)
            var ages = Ages(), sharedAges = Ages(), revalidations = Ages(), errors = Ages()
            for directive in reader.directives {
                let isPlain = directive.argument == .none
                switch directive.name {
                case "max-age": ages.add(directive.argument)
                case "s-maxage": sharedAges.add(directive.argument)
                case "stale-while-revalidate": revalidations.add(directive.argument)
                case "stale-if-error": errors.add(directive.argument)
                case "no-cache": noCache.formUnion(CacheControl.extent(directive.argument))
                case "private": isPrivate.formUnion(CacheControl.extent(directive.argument))
                // A restriction holds even with an argument.
                case "no-store": noStore = true
                case "must-revalidate": mustRevalidate = true
                case "proxy-revalidate": proxyRevalidate = true
                case "must-understand": mustUnderstand = true
                case "public": isPublic = isPublic || isPlain
                case "immutable": immutable = immutable || isPlain
                default: break
                }
            }
            (maxAge, sharedMaxAge) = (ages.value, sharedAges.value)
            (staleWhileRevalidate, staleIfError) = (revalidations.value, errors.value)
            if reader.isMalformed { restrict(reader.words) }
        }

        private mutating func restrict(_ words: Set<String>) {
            isMalformed = true
            (isPublic, immutable, staleWhileRevalidate, staleIfError) = (false, false, nil, nil)
            if maxAge != nil { maxAge = 0 }
            if sharedMaxAge != nil { sharedMaxAge = 0 }
            if words.contains("no-store") { noStore = true }
            if words.contains("private") { isPrivate = .everything }
            if words.contains("no-cache") { noCache = .everything }
            if words.contains("must-revalidate") { mustRevalidate = true }
            if words.contains("proxy-revalidate") { proxyRevalidate = true }
        }

        /// Returns whether the response must not be served once it is stale (RFC 9111, 4.2.4).
        func forbidsStale(isShared: Bool) -> Bool {
            isMalformed || mustRevalidate || noCache == .everything
                || isShared && (proxyRevalidate || sharedMaxAge != nil)
        }
    }

    /// The directives of a request.
    struct Request: Sendable, Hashable {
        /// Seconds; nil if absent, 0 for an invalid number.
        var maxAge: Int64?
        /// Seconds; nil if absent, ``longest`` without an argument, 0 for an invalid one.
        var maxStale: Int64?
        /// Seconds; nil if absent, ``longest`` for an invalid number.
        var minFresh: Int64?
        var noCache = false
        var noStore = false
        var noTransform = false
        var onlyIfCached = false
        /// Seconds after the response became stale (RFC 5861, 4); nil if absent.
        var staleIfError: Int64?

        init() {}

        /// Reads Cache-Control, or Pragma if that is absent (RFC 9111, 5.4).
        init(_ fields: HTTPFields) {
            let lines = fields[values: .cacheControl]
            self.init(lines)
            if lines.isEmpty, let pragma = CacheControl.pragma { noCache = Self.hasNoCache(fields[values: pragma]) }
        }

        init(_ lines: [String]) {
            guard !lines.isEmpty else { return }
            let reader = DirectiveList(lines)
            for directive in reader.directives {
                let seconds = CacheControl.seconds(directive.argument)
                switch directive.name {
                case "max-age": maxAge = min(maxAge ?? .max, seconds ?? 0)
                case "max-stale":
                    let limit = directive.argument == .none ? CacheControl.longest : seconds ?? 0
                    maxStale = min(maxStale ?? .max, limit)
                case "min-fresh": minFresh = max(minFresh ?? 0, seconds ?? CacheControl.longest)
                case "stale-if-error": staleIfError = min(staleIfError ?? .max, seconds ?? 0)
                case "no-cache": noCache = true
                case "no-store": noStore = true
                case "no-transform": noTransform = true
                case "only-if-cached": onlyIfCached = true
                default: break
                }
            }
            guard reader.isMalformed else { return }
            (noCache, maxStale, staleIfError) = (true, nil, nil)
            if reader.words.contains("no-store") { noStore = true }
        }

        private static func hasNoCache(_ lines: [String]) -> Bool {
            !lines.isEmpty && DirectiveList(lines).directives.contains { $0.name == "no-cache" }
        }
    }

    static let pragma = HTTPField.Name("Pragma")

    /// The values of all occurrences of a directive, in seconds.
    private struct Ages {
        var value: Int64?

        /// Adds an occurrence; occurrences with different values are invalid (RFC 9111, 4.2.1).
        mutating func add(_ argument: DirectiveList.Argument) {
            let seconds = CacheControl.seconds(argument) ?? 0
            value = value == nil || value == seconds ? seconds : 0
        }
    }

    /// Returns the names in an argument; everything if it is not a list of names.
    private static func extent(_ argument: DirectiveList.Argument) -> Extent {
        guard case .value(let text) = argument else { return .everything }
        var names: Set<String> = []
        for part in text.utf8.split(separator: UInt8(ascii: ",")) {
            let name = DirectiveList.lowercased(Blanks.trimmed(part))
            if name.isEmpty { continue }
            guard FieldSyntax.isToken(name) else { return .everything }
            names.insert(name)
        }
        return names.isEmpty ? .everything : .fields(names)
    }

    private static func seconds(_ argument: DirectiveList.Argument) -> Int64? {
        guard case .value(let text) = argument else { return nil }
        return seconds(text)
    }

    /// Returns a number of seconds (RFC 9111, 1.2.2), at most ``longest``; nil for anything but digits.
    static func seconds(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in text.utf8 {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            // At most ten times the limit, so that it cannot overflow.
            value = min(value * 10 + Int64(byte - 0x30), longest)
        }
        return value
    }
}

/// White space within field values.
enum Blanks {
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Returns bytes without the white space around them.
    static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return rest
    }
}
