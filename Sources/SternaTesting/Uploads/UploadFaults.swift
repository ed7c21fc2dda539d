/// The faults of an upload, and its limits, which the query of its creation URL requests:
///
/// | name | fault |
/// |---|---|
/// | `cut=N` | the connection is reset once N bytes of a request's content are stored |
/// | `lost` | content is processed, and the connection is reset in place of the response |
/// | `status=CODE` | the answer to the method in `on` (PATCH by default), without any effect; `retry-after=S` with that field |
/// | `interop=N` | any other interop version gets 400, with this one's number unless `unnamed` is there, too |
/// | `interim=N` | so many equal 104s before the answer to content |
/// | `interim=endless`, `interim=growing` | 104s without end in place of the answer, with equal or growing offsets |
/// | `offset=back`, `offset=beyond` | HEAD reports half of the offset, or one byte more than the length |
/// | `location=ORIGIN` | Location has that origin |
/// | `slow=N` | content is read at N bytes a second |
///
/// `times=N` is how often each of `cut`, `lost`, `status`, `offset` occurs, 1 by default. Limits: `max-size=N`, `max-append=N`,
/// `expires=S`.
struct UploadFaults: Sendable, Hashable {
    enum Interim: Sendable, Hashable {
        case count(Int)
        case endless, growing
    }

    enum Offset: String, Sendable, Hashable {
        case back, beyond
    }

    var cut: Int64?
    var isAnswerLost = false
    var status: Int?
    var method = "PATCH"
    var retryAfter: Int?
    var interop: Int?
    var namesInterop = true
    var interim: Interim?
    var offset: Offset?
    var location: String?
    /// Bytes per second.
    var rate: Int64?
    var times = 1
    var maxSize: Int64?
    var maxAppend: Int64?
    /// Seconds.
    var expires: Int64?

    /// The largest number of `interim`, and of `times`.
    static let most = 10_000

    /// Reads a query; throws a `ServerRouteError` with status 400 for a name that it does not know or a value that it cannot use.
    init(_ query: String) throws {
        for (name, value) in ASCIIText.formPairs(query).map({ ($0.name, $0.value) }) {
            func number(_ range: ClosedRange<Int>) throws -> Int {
                guard let number = UploadText.digits(value).flatMap({ Int(exactly: $0) }), range.contains(number) else {
                    throw BuiltInRoutes.badRequest("\(name) must be \(range.lowerBound) to \(range.upperBound)")
                }
                return number
            }
            func bytes(from least: Int = 0) throws -> Int64 { Int64(try number(least...Int(UploadText.most))) }
            switch name {
            case "cut": cut = try bytes()
            case "lost": isAnswerLost = true
            case "status": status = try number(400...599)
            case "on":
                guard ["POST", "PATCH", "HEAD", "DELETE", "OPTIONS"].contains(value) else {
                    throw BuiltInRoutes.badRequest("on must be POST, PATCH, HEAD, DELETE or OPTIONS")
                }
                method = value
            case "retry-after": retryAfter = try number(0...3_600)
            case "interop": interop = try number(3...8)
            case "unnamed": namesInterop = false
            case "interim":
                switch value {
                case "endless": interim = .endless
                case "growing": interim = .growing
                default: interim = .count(try number(0...Self.most))
                }
            case "offset":
                guard let found = Offset(rawValue: value) else {
                    throw BuiltInRoutes.badRequest("offset must be back or beyond")
                }
                offset = found
            case "location":
                guard value.hasPrefix("http://") || value.hasPrefix("https://"), value.utf8.count <= 200,
                    value.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
                else {
                    throw BuiltInRoutes.badRequest("location must be an http or https origin")
                }
                location = value
            case "slow": rate = try bytes(from: 1)
            case "times": times = try number(1...Self.most)
            case "max-size": maxSize = try bytes()
            case "max-append": maxAppend = try bytes(from: 1)
            case "expires": expires = try bytes()
            default: throw BuiltInRoutes.badRequest("unknown fault of uploads: \(name)")
            }
        }
    }
}
