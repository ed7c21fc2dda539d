import SternaCore
import SternaPlatform

/// The User-Agent field (RFC 9110, 10.1.5) in AFNetworking's form: `Product/Version (Platform; OS Version)`.
package enum UserAgent {
    /// The platform part of the field.
    package enum Platform: Sendable, Hashable {
        /// `(Linux; Debian GNU/Linux 12)`.
        case linux(distribution: String)
        /// `(Mac OS X Version 15.1 (Build 24B83))`.
        case macOS(version: String)
        /// `(iPhone16,1; iOS 18.1)`, followed by `; Scale/3.00` if the scale is known; the same for tvOS, watchOS and visionOS.
        case device(model: String, system: String, version: String, scale: Double?)
    }

    /// Returns the field's value for a program. The package's trait `Foundation` transliterates letters outside ASCII; without it
    /// they are dropped. Other characters that a token cannot contain become `-` in the product and the version.
    ///
    /// - Parameters:
    ///   - product: the program's name; `Sterna` for one without ASCII characters.
    ///   - version: the program's version; nil leaves it out.
    package static func value(product: String, version: String?) -> String {
        value(product: product, version: version, platform: .current)
    }

    package static func value(product: String, version: String?, platform: Platform) -> String {
        let name = token(product)
        var text = name.isEmpty ? "Sterna" : name
        if let version = version.map(token), !version.isEmpty { text += "/\(version)" }
        return "\(text) (\(comment(of: platform)))"
    }

    /// The default User-Agent of serializers: this library's name and version, since on Linux a program's name and version cannot
    /// be queried.
    package static let standard = value(product: "Sterna", version: LibraryVersion.text)

    private static func comment(of platform: Platform) -> String {
        switch platform {
        case .linux(let distribution): "Linux; \(comment(distribution))"
        case .macOS(let version): "Mac OS X \(comment(version))"
        case .device(let model, let system, let version, let scale):
            "\(comment(model)); \(comment(system)) \(comment(version))"
                + (scale.flatMap { $0.isNaN ? nil : "; Scale/\(decimals($0))" } ?? "")
        }
    }

    private static func decimals(_ scale: Double) -> String {
        let hundredths = Int((min(max(scale, 0), 100) * 100).rounded())
        return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
    }

    // A token has no spaces and no delimiters (RFC 9110, 5.6.2).
    private static func token(_ text: String) -> String {
        let bytes = Transliteration.ascii(text)[...].trimmingBlanks().utf8
        return String(decoding: bytes.map { FieldSyntax.isTokenByte($0) ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
    }

    // Parentheses in a comment must be balanced (RFC 9110, 5.6.5).
    private static func comment(_ text: String) -> String {
        var depth = 0
        var isBalanced = true
        let ascii = String(Transliteration.ascii(text).filter { $0 != "\\" }[...].trimmingBlanks())
        for character in ascii {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            isBalanced = isBalanced && depth >= 0
        }
        return isBalanced && depth == 0 ? ascii : ascii.filter { $0 != "(" && $0 != ")" }
    }
}

extension UserAgent.Platform {
    /// The machine that the program runs on, detected once.
    package static let current: UserAgent.Platform = {
        #if os(macOS)
        .macOS(version: ProcessInfo.processInfo.operatingSystemVersionString)
        #elseif os(iOS)
        .device(model: machine, system: "iOS", version: systemVersion, scale: nil)
        #elseif os(tvOS)
        .device(model: machine, system: "tvOS", version: systemVersion, scale: nil)
        #elseif os(watchOS)
        .device(model: machine, system: "watchOS", version: systemVersion, scale: nil)
        #elseif os(visionOS)
        .device(model: machine, system: "visionOS", version: systemVersion, scale: nil)
        #else
        .linux(distribution: distribution(release: osRelease) ?? kernel)
        #endif
    }()

    /// Returns the distribution's name and version from the text of os-release(5); nil if it has no name.
    static func distribution(release text: String) -> String? {
        var (name, version) = ("", "")
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).prefix(100) {
            if let value = value(of: "NAME=", in: line) { name = value }
            if let value = value(of: "VERSION_ID=", in: line) { version = value }
        }
        guard !name.isEmpty else { return nil }
        return version.isEmpty ? name : "\(name) \(version)"
    }

    private static func value(of key: StaticString, in line: Substring.UTF8View) -> String? {
        let count = key.utf8CodeUnitCount
        // A static string lives as long as the program.
        guard line.starts(with: UnsafeBufferPointer(start: key.utf8Start, count: count)) else { return nil }
        return String(decoding: line.dropFirst(count).filter { $0 != 0x22 && $0 != 0x27 }, as: UTF8.self)
    }

    private static var osRelease: String {
        for path in ["/etc/os-release", "/usr/lib/os-release"] {
            if let text = beginning(of: path) { return text }
        }
        return ""
    }

    // Every program runs this before its first request; Foundation's function would take about 5% of that request's time.
    private static func beginning(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // `read` writes at most the buffer's size.
        let text = String(unsafeUninitializedCapacity: 16 << 10) { max(0, read(descriptor, $0.baseAddress, $0.count)) }
        return text.isEmpty ? nil : text
    }

    private static var systemVersion: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion)"
            + (version.patchVersion == 0 ? "" : ".\(version.patchVersion)")
    }

    private static var kernel: String { field(\.release) }

    private static var machine: String { field(\.machine) }

    private static func field<Tuple>(_ path: KeyPath<utsname, Tuple>) -> String {
        var info = utsname()
        uname(&info)
        // uname ends each of its arrays with a zero, and the copy lives as long as the closure.
        return withUnsafeBytes(of: info[keyPath: path]) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
