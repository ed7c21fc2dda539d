/// The basic URL parser for special schemes (WHATWG URL Standard, 4.4), its states written as functions.
struct URLParser {
    /// Without tabs, newlines, and C0 controls and spaces at both ends.
    private let input: [UInt8]
    private let encoder: (any HostEncoder)?
    private let needsHost: Bool
    private let allowsZone: Bool
    private var index = 0

    private init(_ input: [UInt8], encoder: (any HostEncoder)?, needsHost: Bool, allowsZone: Bool) {
        self.input = input
        self.encoder = encoder
        self.needsHost = needsHost
        self.allowsZone = allowsZone
    }

    /// Parses by the fast path if it applies, else by the full one.
    ///
    /// - Parameters:
    ///   - encoder: for hosts outside ASCII; nil for ``IDNA``.
    ///   - needsHost: whether an empty host is an error (RFC 9110, 4.2.1); the standard uses the path's first segment instead.
    ///   - allowsZone: whether an IPv6 address may have a zone (RFC 6874), which the standard does not permit.
    static func parse(
        _ string: String, base: HTTPURL.Storage?, encoder: (any HostEncoder)? = nil, needsHost: Bool = false,
        allowsZone: Bool = true
    ) throws(HTTPURL.ParseError) -> HTTPURL.Storage {
        var string = string
        // The buffer is used within the closure only.
        let result = string.withUTF8 { bytes -> Result<HTTPURL.Storage, HTTPURL.ParseError> in
            if let storage = parseFast(bytes, base: base) { return .success(storage) }
            return parseFully(bytes, base: base, encoder: encoder, needsHost: needsHost, allowsZone: allowsZone)
        }
        return try result.get()
    }

    static func parseFast(_ bytes: UnsafeBufferPointer<UInt8>, base: HTTPURL.Storage?) -> HTTPURL.Storage? {
        guard let first = bytes.first else { return nil }
        if first == UInt8(ascii: "/") {
            guard let base else { return nil }
            return FastURLParser.absolutePath(bytes, base: base)
        }
        return FastURLParser.absolute(bytes)
    }

    static func parseFully(
        _ bytes: UnsafeBufferPointer<UInt8>, base: HTTPURL.Storage?, encoder: (any HostEncoder)? = nil,
        needsHost: Bool = false, allowsZone: Bool = true
    ) -> Result<HTTPURL.Storage, HTTPURL.ParseError> {
        guard bytes.count <= HTTPURL.maximumLength else { return .failure(.tooLong) }
        var start = 0
        var end = bytes.count
        while start < end, bytes[start] <= 0x20 { start += 1 }
        while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
        let kept = bytes[start..<end].filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        var parser = URLParser(kept, encoder: encoder, needsHost: needsHost, allowsZone: allowsZone)
        return Result { () throws(HTTPURL.ParseError) in
            let storage = try parser.run(base: base)
            guard storage.length <= HTTPURL.maximumLength else { throw .tooLong }
            return storage
        }
    }

    // MARK: States

    private mutating func run(base: HTTPURL.Storage?) throws(HTTPURL.ParseError) -> HTTPURL.Storage {
        guard let colon = endOfScheme() else {
            guard let base else { throw input.isEmpty ? .empty : .relativeWithoutBase }
            return try relative(to: base)
        }
        let name = String(decoding: input[..<colon], as: UTF8.self).lowercased()
        guard let scheme = HTTPURL.Scheme(rawValue: name) else {
            // If an "@" follows, an apparent scheme may be a user name.
            throw .unsupportedScheme(input.contains(UInt8(ascii: "@")) || name.utf8.count > 32 ? nil : name)
        }
        index = colon + 1
        // The relative states parse a reference of two slashes as an authority, too.
        if let base, base.scheme == scheme { return try relative(to: base) }
        return try authority(scheme)
    }

    private func endOfScheme() -> Int? {
        guard let first = input.first, isLetter(first) else { return nil }
        for (index, byte) in input.enumerated() {
            switch byte {
            case UInt8(ascii: ":"): return index
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): break
            default: guard isLetter(byte) else { return nil }
            }
        }
        return nil
    }

    /// "Relative state" and "relative slash state".
    private mutating func relative(to base: HTTPURL.Storage) throws(HTTPURL.ParseError) -> HTTPURL.Storage {
        guard index < input.count else {
            return base.replacing(target: base.target, pathLength: base.pathLength, fragment: nil)
        }
        if isSlash(input[index]) {
            if index + 1 < input.count, isSlash(input[index + 1]) { return try authority(base.scheme) }
            return tail(onto: base, path: [])
        }
        switch input[index] {
        case UInt8(ascii: "?"):
            var target = Array(base.target.utf8.prefix(base.pathLength))
            let fragment = queryAndFragment(into: &target)
            return base.replacing(
                target: String(decoding: target, as: UTF8.self), pathLength: base.pathLength, fragment: fragment)
        case UInt8(ascii: "#"):
            var target = Array(base.target.utf8)
            let fragment = queryAndFragment(into: &target)
            return base.replacing(target: base.target, pathLength: base.pathLength, fragment: fragment)
        default:
            var path = Array(base.target.utf8.prefix(base.pathLength))
            Self.shorten(&path)
            return tail(onto: base, path: path)
        }
    }

    /// "Special authority ignore slashes state" to the end.
    private mutating func authority(_ scheme: HTTPURL.Scheme) throws(HTTPURL.ParseError) -> HTTPURL.Storage {
        let start = index
        while index < input.count, isSlash(input[index]) { index += 1 }
        if needsHost, index - start > 2 { throw .missingHost }
        let end = input[index...].firstIndex(where: isDelimiter) ?? input.endIndex
        var userinfo: [UInt8] = []
        if let at = input[index..<end].lastIndex(of: UInt8(ascii: "@")) {
            userinfo = Self.userinfo(input[index..<at])
            index = at + 1
        }
        let hostEnd = endOfHost(before: end)
        let host = try HostParser.parse(input[index..<hostEnd], encoder: encoder, allowsZone: allowsZone)
        let port = try port(input[hostEnd..<end].dropFirst(), default: scheme.defaultPort)
        index = end
        let holder = HTTPURL.Storage(
            scheme: scheme, userinfo: String(decoding: userinfo, as: UTF8.self),
            authority: port.map { "\(host.text):\($0)" } ?? host.text, hostLength: host.text.utf8.count,
            hostKind: host.kind, port: port, target: "/", pathLength: 1, fragment: nil)
        return tail(onto: holder, path: [])
    }

    private static func userinfo(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        var output: [UInt8] = []
        for byte in bytes[..<(colon ?? bytes.endIndex)] { PercentCoding.append(byte, keeping: .userinfo, to: &output) }
        if let colon, colon + 1 < bytes.endIndex {
            output.append(UInt8(ascii: ":"))
            for byte in bytes[(colon + 1)...] { PercentCoding.append(byte, keeping: .userinfo, to: &output) }
        }
        return output
    }

    /// The first colon outside brackets, or `end`.
    private func endOfHost(before end: Int) -> Int {
        var bracketed = false
        for position in index..<end {
            switch input[position] {
            case UInt8(ascii: "["): bracketed = true
            case UInt8(ascii: "]"): bracketed = false
            case UInt8(ascii: ":") where !bracketed: return position
            default: break
            }
        }
        return end
    }

    private func port(_ digits: ArraySlice<UInt8>, default standard: Int) throws(HTTPURL.ParseError) -> UInt16? {
        guard !digits.isEmpty else { return nil }
        var value = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { throw .invalidPort }
            value = min(value * 10 + Int(byte - UInt8(ascii: "0")), 65_536)
        }
        guard let port = UInt16(exactly: value) else { throw .portOutOfRange }
        return value == standard ? nil : port
    }

    /// "Path start state" to the end: appends segments to `path`, each beginning with "/".
    private mutating func tail(onto holder: HTTPURL.Storage, path start: [UInt8]) -> HTTPURL.Storage {
        var target = start
        target.reserveCapacity(start.count + input.count - index + 1)
        if index < input.count, isSlash(input[index]) { index += 1 }
        while true {
            let segment = target.count
            target.append(UInt8(ascii: "/"))
            while index < input.count, !isDelimiter(input[index]) {
                PercentCoding.append(input[index], keeping: .path, to: &target)
                index += 1
            }
            let another = index < input.count && isSlash(input[index])
            let dots = Self.dots(target[(segment + 1)...])
            if dots > 0 {
                target.removeSubrange(segment...)
                if dots == 2 { Self.shorten(&target) }
                if !another { target.append(UInt8(ascii: "/")) }
            }
            guard another else { break }
            index += 1
        }
        let pathLength = target.count
        let fragment = queryAndFragment(into: &target)
        return holder.replacing(
            target: String(decoding: target, as: UTF8.self), pathLength: pathLength, fragment: fragment)
    }

    /// "Query state" and "fragment state": appends "?" and the query, returns the fragment.
    private mutating func queryAndFragment(into target: inout [UInt8]) -> String? {
        if index < input.count, input[index] == UInt8(ascii: "?") {
            target.append(UInt8(ascii: "?"))
            index += 1
            while index < input.count, input[index] != UInt8(ascii: "#") {
                PercentCoding.append(input[index], keeping: .query, to: &target)
                index += 1
            }
        }
        guard index < input.count else { return nil }
        var fragment: [UInt8] = []
        for byte in input[(index + 1)...] { PercentCoding.append(byte, keeping: .fragment, to: &fragment) }
        return String(decoding: fragment, as: UTF8.self)
    }

    // MARK: Parts

    private static func shorten(_ path: inout [UInt8]) {
        if let slash = path.lastIndex(of: UInt8(ascii: "/")) { path.removeSubrange(slash...) }
    }

    /// 1 for a single-dot segment, 2 for a double-dot segment, 0 for any other; "%2e" is a dot.
    private static func dots(_ segment: ArraySlice<UInt8>) -> Int {
        guard segment.count <= 6 else { return 0 }
        var rest = segment
        var count = 0
        while let first = rest.first {
            if first == UInt8(ascii: ".") {
                rest = rest.dropFirst()
            } else if rest.count >= 3, first == UInt8(ascii: "%"), rest[rest.startIndex + 1] == UInt8(ascii: "2"),
                rest[rest.startIndex + 2] | 0x20 == UInt8(ascii: "e")
            {
                rest = rest.dropFirst(3)
            } else {
                return 0
            }
            count += 1
        }
        return count <= 2 ? count : 0
    }

    private func isSlash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }

    private func isDelimiter(_ byte: UInt8) -> Bool {
        isSlash(byte) || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
