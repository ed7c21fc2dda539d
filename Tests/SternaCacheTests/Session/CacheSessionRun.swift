import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization

@testable import Sterna
@testable import SternaTestSupport

/// A random run of sessions over one cache, compared with a model of the server's responses and of what may be served.
///
/// A response's body names its resource, language, caller and version, so that its origin is known when it is served.
struct CacheSessionRun {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The resource of a URL.
    enum Kind: String, CaseIterable {
        case plain, validated, varying, everyone

        var fields: ServerHeaders {
            switch self {
            case .plain: ["Cache-Control": "max-age=60"]
            case .validated: ["Cache-Control": "no-cache"]
            case .varying: ["Cache-Control": "max-age=60", "Vary": "Accept-Language"]
            case .everyone: ["Cache-Control": "public, max-age=60"]
            }
        }

        /// Whether a stored response may be served without validation.
        var isReusable: Bool { self != .validated }
    }

    struct Options {
        /// The size of the cache, or of its part in memory.
        var bytes: Int64 = 8 << 20
        var folder: String?
        /// Whether responses may be evicted at any time, since the cache is small.
        var evicts = false
        /// Whether a response may not have been stored: if the disk or its lock takes too long, responses pass through.
        var mayLose = false
        /// Whether variants may be evicted at any time, since the memory over the disk is small.
        var dropsVariants = false
    }

    /// Identifies a stored response.
    private struct Place: Hashable {
        let kind: Kind
        let language: String
        let caller: Int
    }

    /// The cache's responses, as far as the model knows.
    private struct Stored {
        let version: Int
        var received: Int64
        /// Whether it cannot have been evicted.
        var isCertain: Bool
    }

    /// The versions of the resources.
    final class Server: Sendable {
        private let versions = Mutex<[Kind: Int]>([:])

        func version(_ kind: Kind) -> Int { versions.withLock { $0[kind, default: 1] } }

        func change(_ kind: Kind) { versions.withLock { $0[kind, default: 1] += 1 } }

        func answer(_ request: Request) -> ServerResponse {
            guard let kind = Kind(rawValue: String(request.url.path.dropFirst())) else { return .init(status: 404) }
            guard request.method == .get else { return .init(status: request.url.query == nil ? 204 : 500) }
            let language = kind == .varying ? request.headers[.acceptLanguage] ?? "" : ""
            let text = "\(kind) \(language) \(request.headers[.authorization] ?? "") \(version(kind))"
            var fields = kind.fields
            fields[.eTag] = kind == .plain ? nil : "\"\(text.replacing(" ", with: "-"))\""
            if let tag = fields[.eTag], request.headers[.ifNoneMatch] == tag {
                return .init(status: 304, headers: fields)
            }
            // Of different lengths, and some longer than a body that is stored with its head.
            let filling = String(repeating: ".", count: version(kind) * 977 % 40_000)
            return .init(status: 200, headers: fields, body: ResponseBody(Bytes(text: "\(text) \(filling)")))
        }
    }

    private static let callers = ["", "Bearer-a", "Bearer-b"]

    private let options: Options
    private let server = Server()
    private let time = CacheScene.Moment()
    private var random: SeededRandom
    private var cache: ResponseCache
    private var api: Session
    private var stored: [Place: Stored] = [:]
    /// The steps so far, for failures.
    private(set) var recent: [String] = []
    private(set) var counts: [String: Int] = [:]

    init(seed: UInt64, _ options: Options) throws {
        self.options = options
        random = SeededRandom(seed: seed)
        (cache, api) = try Self.open(options, time, server)
    }

    private static func open(
        _ options: Options, _ time: CacheScene.Moment, _ server: Server
    ) throws -> (ResponseCache, Session) {
        let clock = { @Sendable in time.value.withLock { $0 } }
        var storage: any CacheStorage = MemoryCache(limits: CacheLimits(bytes: options.bytes), now: clock)
        if let folder = options.folder {
            var limits = CacheLimits(bytes: 64 << 20)
            limits.patience = .seconds(60)
            let disk = DiskCache(folder: folder, limits: limits, now: clock)
            storage = LayeredCache(MemoryCache(limits: CacheLimits(bytes: options.bytes), now: clock), over: disk)
        }
        let cache = ResponseCache(storage, path: options.folder, clock: clock)
        let api = try Session(baseURL: "https://api.example.com") { settings in
            settings.network.transport = MockTransport { server.answer($0) }
            settings.cache.store = cache
            settings.retry = .none
        }
        return (cache, api)
    }

    private var now: Int64 { time.value.withLock { $0 } / 1_000 }

    private mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func count(_ name: String, _ details: String = "") {
        counts[name, default: 0] += 1
        recent.append(details.isEmpty ? name : "\(name): \(details)")
    }

    /// Takes one random step; throws if the cache breaks a rule.
    mutating func step() async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<68: try await get()
        case ..<76: server.change(one(of: Kind.allCases))
        case ..<86:
            let seconds = one(of: [1, 10, 59, 60, 61] as [Int64])
            time.value.withLock { $0 += seconds * 1_000 }
        case ..<92: try await post()
        case ..<94: try await remove()
        case ..<95:
            await cache.removeAll()
            count("removal of all")
            stored = [:]
        default: try await reopen()
        }
    }

    private mutating func get() async throws {
        let kind = one(of: Kind.allCases)
        let (language, caller) = (one(of: ["de", "en"]), Int.random(in: 0..<3, using: &random))
        let reading = one(
            of: [.rules, .rules, .rules, .reload, .revalidate, .anyAge, .cachedOnly]
                as [CachePolicy.Reading])
        let place = Place(
            kind: kind, language: kind == .varying ? language : "", caller: kind == .everyone ? 0 : caller)
        var draft = RequestDraft(.get, kind.rawValue)
        draft.headers["Accept-Language"] = language
        if caller > 0 { draft.headers["Authorization"] = Self.callers[caller] }
        draft.settings.cache.policy = CachePolicy(reading: reading)
        let (status, source, text) = try await api.withResponse(to: draft) { response in
            (response.status.code, response.source, try await response.body.collect(upTo: 1 << 20).text)
        }
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let shown =
            "\(kind), \(language), caller \(caller), \(reading) at \(now): \(status) \(source) \(words.dropLast())"
        let old = stored[place]
        let mayAnswer =
            kind.isReusable
            && (reading == .anyAge || reading == .cachedOnly
                || reading == .rules && old.map { now - $0.received < 60 } ?? false)
        count("\(source)", shown)
        if status == 504 {
            guard source == .cache, reading == .cachedOnly else { throw Failure(description: "504: \(shown)") }
            guard !(mayAnswer && old?.isCertain == true) else { throw Failure(description: "lost: \(shown)") }
            return
        }
        let isWhole = words.count == 5 && words[4].count == (Int(words[3]) ?? 0) * 977 % 40_000
        guard status == 200, isWhole, words[0] == kind.rawValue, words[1] == place.language,
            kind == .everyone || words[2] == Self.callers[caller], let version = Int(words[3])
        else { throw Failure(description: "another's: \(shown)") }
        switch source {
        case .cache:
            guard mayAnswer, let old, old.version == version else { throw Failure(description: "old: \(shown)") }
        case .network, .revalidated:
            guard version == server.version(kind) else { throw Failure(description: "not asked: \(shown)") }
            guard reading != .cachedOnly, !(mayAnswer && old?.isCertain == true) else {
                throw Failure(description: "asked in vain: \(shown)")
            }
            if source == .revalidated, old?.version != version {
                throw Failure(description: "validated what is not stored: \(shown)")
            }
            // Variants that memory has evicted are not looked up on disk while memory has other variants of the URL.
            let mayGo = options.evicts || options.mayLose || options.dropsVariants && kind == .varying
            stored[place] = Stored(version: version, received: now, isCertain: !mayGo)
        }
    }

    /// Changes a resource by a request that invalidates its stored responses, or fails.
    private mutating func post() async throws {
        let (kind, caller) = (one(of: Kind.allCases), Int.random(in: 0..<3, using: &random))
        let fails = Int.random(in: 0..<4, using: &random) == 0
        var draft = RequestDraft(.post, fails ? "\(kind.rawValue)?fail" : kind.rawValue)
        if caller > 0 { draft.headers["Authorization"] = Self.callers[caller] }
        try await api.withResponse(to: draft) { _ in }
        count(fails ? "failed change" : "change", "\(kind) by \(caller)")
        guard !fails else { return }
        server.change(kind)
        for place in stored.keys where place.kind == kind { stored[place] = nil }
    }

    private mutating func remove() async throws {
        let kind = one(of: Kind.allCases)
        try await cache.remove("https://api.example.com/\(kind.rawValue)")
        count("removal", "\(kind)")
        for place in stored.keys where place.kind == kind { stored[place] = nil }
    }

    /// Restarts with the same folder, as another process would; the journal may be lost.
    private mutating func reopen() async throws {
        guard let folder = options.folder else { return }
        await cache.sync()
        if Int.random(in: 0..<3, using: &random) == 0 {
            unlink("\(folder)/journal-1")
            for place in stored.keys { stored[place]?.isCertain = false }
            count("loss of the journal")
        }
        (cache, api) = try Self.open(options, time, server)
        count("start")
    }
}
