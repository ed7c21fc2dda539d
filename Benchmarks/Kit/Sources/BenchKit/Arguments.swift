#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What every client is asked: `NAME work url count concurrency [--on-loop] [--http2] [--loops N] [--file PATH] [--ca FILE] [--sign] [--state] [--cache memory|FOLDER] [--with FEATURE]
/// [--alone] [--stream]`.
public struct Arguments: Sendable {
    public enum Work: String, Sendable {
        /// A small answer, collected.
        case get
        /// A large answer, read piece by piece and thrown away.
        case download
        /// A large answer, saved to the file of `--file` and synced.
        case save
        /// A file as the body of a PUT.
        case upload
        /// All requests at once, to many origins.
        case origins
        /// Connections that were used once and are kept.
        case idle
        /// A stream of events, which are counted.
        case events
        /// Messages of a WebSocket that are echoed, one in flight for each caller.
        case messages
        /// Messages of a WebSocket until the server closes.
        case receive
        /// Requests with cookies of a full jar, which are not sent.
        case cookies
    }

    public let work: Work
    /// In the URLs of `origins` and `idle`, `{}` stands for the last two numbers of a loopback address.
    public let url: String
    public let count: Int
    public let concurrency: Int
    public private(set) var isOnLoop = false
    /// Whether HTTP/2 is to be spoken where a client has to be told.
    public private(set) var isHTTP2 = false
    /// Whether requests are signed by AWS Signature Version 4.
    public private(set) var isSigned = false
    /// Whether a client that can keeps cookies and hosts that want TLS only.
    public private(set) var keepsState = false
    /// Where a client that can stores responses: "memory", or a folder; nil for no cache.
    public private(set) var cache: String?
    /// What a client that can has besides, whose cost is measured; nil for none.
    public private(set) var feature: String?
    /// Whether such a client makes only requests with the feature, and so measures the whole of them.
    public private(set) var isAlone = false
    /// Whether such a client reads its answers piece by piece.
    public private(set) var isStreamed = false
    /// How many event loops a client has that lets one choose; by default what costs AsyncHTTPClient the least on one core.
    public private(set) var loops: Int
    public private(set) var file = ""
    /// Certificates in PEM to trust in place of the system's.
    public private(set) var authorities: String?

    /// Reads the command line; ends the process where it is wrong.
    public init() {
        let given = CommandLine.arguments
        guard given.count >= 5, let work = Work(rawValue: given[1]), let count = Int(given[3]),
            let concurrency = Int(given[4]), count > 0, concurrency > 0
        else { Self.leave() }
        self.work = work
        url = given[2]
        self.count = count
        self.concurrency = concurrency
        loops = concurrency > 1 ? 2 : 1
        var rest = given.dropFirst(5)
        while let option = rest.popFirst() {
            switch option {
            case "--on-loop": isOnLoop = true
            case "--http2": isHTTP2 = true
            case "--sign": isSigned = true
            case "--state": keepsState = true
            case "--cache": cache = rest.popFirst()
            case "--with": feature = rest.popFirst()
            case "--alone": isAlone = true
            case "--stream": isStreamed = true
            case "--loops": loops = rest.popFirst().flatMap { Int($0) } ?? loops
            case "--file": file = rest.popFirst() ?? ""
            case "--ca": authorities = rest.popFirst()
            default: Self.leave()
            }
        }
    }

    /// The URLs that requests go to in turn: one, or those of a thousand origins.
    public var urls: [String] {
        guard let hole = url.firstRange(of: "{}") else { return [url] }
        return (0..<1_000).map { number in
            url.replacingCharacters(hole, with: "\(1 + number / 250).\(1 + number % 250)")
        }
    }

    private static func leave() -> Never {
        print("usage: NAME get|download|save|upload|origins|idle|events|messages|receive|cookies url count concurrency [OPTION…]")
        exit(64)
    }
}

extension String {
    fileprivate func firstRange(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }

    fileprivate func replacingCharacters(_ range: Range<String.Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}
