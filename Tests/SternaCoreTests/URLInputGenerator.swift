@testable import SternaTestSupport

/// Makes URL-like text from a seed, always the same.
struct URLInputGenerator {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    static let seeds = [
        "http://127.0.0.1:18080/1k", "https://example.com/a/b/../c?q=1&r=%20#frag", "ws://[::1]:8080/x", "wss://h",
        "http://user:pass@host.example:81/p%2e/..%2F?#", "HTTP:\\\\Host\\p", "https:example.com", "http:///host//x",
        "http://0x7f.1/", "http://[1:2:3:4:5:6:7.8.9.10]/", "//host/x", "/a/./b", "../x?y#z", "?q", "#f", "", "http:",
        "http://xn--bcher-kva.example./", "http://b\u{FC}cher.example/\u{1F600}?\u{FC}#\u{FC}", "http://%31%2E1/",
        "http://h:65535",
        "https://h:443", "http://a@b@c:d@e/", "/.well-known/x", "http://h/'\"<>`{}|^",
    ]

    private static let atoms: [String] =
        Array("abzAZ019:/?#[]@!$&'()*+,;=%._-~\\ \t\n\"<>^`{|}\u{0}\u{7F}\u{FC}\u{1F600}\u{FFFD}").map(String.init)
        + [
            "..", "/../", "/./", "%2e", "%2E", "%2f", "%00", "%C3%BC", "%FF", "http://", "https:", "//", "::", "0x",
            "255", "65536", "xn--",
        ]

    mutating func next(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    /// A seed with a few places deleted, replaced, inserted or doubled, or two seeds joined.
    mutating func mutated() -> String {
        var scalars = Array(random.pick(Self.seeds).unicodeScalars)
        for _ in 0..<next(5) {
            let place = next(scalars.count + 1)
            switch next(5) {
            case 0: scalars.removeSubrange(place..<min(place + 1 + next(3), scalars.count))
            case 1: scalars.insert(contentsOf: random.pick(Self.atoms).unicodeScalars, at: place)
            case 2:
                scalars.replaceSubrange(
                    place..<min(place + 1, scalars.count), with: random.pick(Self.atoms).unicodeScalars)
            case 3: scalars.insert(contentsOf: scalars[place..<min(place + next(8), scalars.count)], at: place)
            default:
                let other = Array(random.pick(Self.seeds).unicodeScalars)
                scalars = Array(scalars[..<place]) + other[next(other.count + 1)...]
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Text that is in normal form, or nearly.
    mutating func nearlyNormal() -> String {
        var text = either(["http://", "https://", "ws://", "wss://"], ["", "/", "http:/"])
        text += either(
            ["a", "example.com", "127.0.0.1", "x_y.z-w", "a..b"],
            ["1.2.3.256", "01.2.3.4", "1.2.3", "a.1", "a.", "1.", "1a", "0x1", "255.255.255.255.", "A"])
        text += either(["", ":1", ":80", ":443", ":65535"], [":0", ":65536", ":08", ":", ":8a"])
        for _ in 0..<next(5) {
            let usual = ["a", "b1", "...", ".a", "..a", "a.", "%20", "%2", "%", "", "a:b", "a@b", "'"]
            text += "/" + either(usual, [".", "..", "%2e", "%2E.", ".%2e", "x y", "{", "\\"])
        }
        if next(2) == 0 { text += "?" + either(["", "q", "a=b&c=%20", "a?b/../c", "x\\y", "[]|^{}`"], ["'", " "]) }
        if next(2) == 0 { text += "#" + either(["", "f", "a#b", "?", "'{}"], ["`", "\u{FC}"]) }
        return text
    }

    private mutating func either(_ usual: [String], _ odd: [String]) -> String {
        random.pick(next(8) == 0 ? odd : usual)
    }
}
