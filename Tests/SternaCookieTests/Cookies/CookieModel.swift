import MutationKit
import SternaCore

@testable import Sterna

/// A jar that follows the draft step by step, without an index by domain, as the oracle for `CookieJarState`.
struct CookieModel {
    let limits: CookieLimits
    private(set) var cookies: [Cookie] = []

    init(limits: CookieLimits) { self.limits = limits }

    mutating func store(_ line: String, from url: HTTPURL, now: CookieTime) {
        cookies.removeAll { $0.isExpired(now) }
        guard let field = try? SetCookie(parsing: line),
            var cookie = try? CookieRules.cookie(field, from: url, .builtIn, now: now)
        else { return }
        if !cookie.isSecure, url.scheme == .http {
            let isHidden = cookies.contains { old in
                old.name == cookie.name && old.isSecure
                    && (Self.isWithin(old.domain, cookie.domain) || Self.isWithin(cookie.domain, old.domain))
                    && Self.isPath(old.path, of: cookie.path)
            }
            if isHidden { return }
        }
        let place = cookies.firstIndex {
            $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path
                && $0.isHostOnly == cookie.isHostOnly
        }
        if let place {
            cookie.creation = cookies[place].creation
            // The list is in the order of creation.
            cookies[place] = cookie
        } else {
            cookies.append(cookie)
        }
        cookies.removeAll { $0.isExpired(now) }
        while cookies.count(where: { $0.domain == cookie.domain }) > limits.perDomain {
            if !evict(where: { $0.domain == cookie.domain && !$0.isSecure }) { evict { $0.domain == cookie.domain } }
        }
        while cookies.count > limits.total { evict { _ in true } }
    }

    /// Removes the cookie that was used longest ago.
    @discardableResult
    private mutating func evict(where isCandidate: (Cookie) -> Bool) -> Bool {
        let candidates = cookies.indices.filter { isCandidate(cookies[$0]) }
        guard let oldest = candidates.min(by: { cookies[$0].lastAccess < cookies[$1].lastAccess }) else { return false }
        cookies.remove(at: oldest)
        return true
    }

    mutating func field(for url: HTTPURL, now: CookieTime) -> String? {
        cookies.removeAll { $0.isExpired(now) }
        let places = cookies.indices.filter { place in
            let cookie = cookies[place]
            let isHere = cookie.isHostOnly ? cookie.domain == url.host : Self.isWithin(url.host, cookie.domain)
            return isHere && Self.isPath(cookie.path, of: url.path) && (!cookie.isSecure || url.scheme == .https)
        }
        let sorted = places.sorted {
            let (left, right) = (cookies[$0], cookies[$1])
            return (-left.path.utf8.count, left.creation, $0) < (-right.path.utf8.count, right.creation, $1)
        }
        var texts: [String] = []
        for place in sorted.prefix(limits.perRequest) {
            let text =
                cookies[place].name.isEmpty ? cookies[place].value : "\(cookies[place].name)=\(cookies[place].value)"
            guard (texts + [text]).joined(separator: "; ").utf8.count <= limits.fieldLength else { break }
            texts.append(text)
            cookies[place].lastAccess = now
        }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    mutating func remove(where isRemoved: (Cookie) -> Bool) { cookies.removeAll(where: isRemoved) }

    private static func isWithin(_ name: String, _ domain: String) -> Bool {
        name == domain || name.hasSuffix("." + domain)
    }

    private static func isPath(_ cookie: String, of request: String) -> Bool {
        cookie == request || request.hasPrefix(cookie.hasSuffix("/") ? cookie : cookie + "/")
    }
}

/// Random operations on a jar and its model.
struct CookieOperations {
    private var random: MutationGenerator
    private let hosts = [
        "example.com", "www.example.com", "a.www.example.com", "other.test", "github.io", "me.github.io",
    ]
    private var clock: Int64 = 1_790_000_000_000

    init(seed: UInt64) { random = MutationGenerator(seed: seed) }

    /// Returns the first difference; nil if there is none.
    mutating func run(_ steps: Int, limits: CookieLimits) throws -> String? {
        var state = CookieJarState(limits: limits)
        var model = CookieModel(limits: limits)
        for step in 0..<steps {
            clock += Int64.random(in: 0...4_000, using: &random)
            var now = CookieTime(milliseconds: clock)
            let url = try HTTPURL(
                "\(pick(["http", "https"]))://\(pick(hosts))\(pick(["/", "/a", "/a/b", "/ab", "/a/b?/c"]))")
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<12:
                let line = line()
                model.store(line, from: url, now: now)
                _ = try? state.store(SetCookie(parsing: line), from: url, now: now)
            case 12..<18:
                // The second time, the jar may have kept the field.
                for pause in [0, Int64.random(in: 0...2_000, using: &random)] {
                    clock += pause
                    now = CookieTime(milliseconds: clock)
                    let (left, right) = (
                        state.field(for: CookieRequest(url: url), now: now), model.field(for: url, now: now)
                    )
                    if left != right { return "step \(step), \(url): \(left ?? "-") is not \(right ?? "-")" }
                }
            case 18:
                let name = pick(["a", "b", "c"])
                state.remove(now: now) { $0.name == name && $0.path == "/a" }
                model.remove { $0.name == name && $0.path == "/a" }
            default:
                // A snapshot is as good as the jar.
                let copy = state.all(now)
                state.restore(copy, now: now)
                guard state.all(now) == copy else { return "step \(step): the snapshot is not restored" }
            }
            let (left, right) = (state.all(now), model.cookies.filter { !$0.isExpired(now) })
            guard left.map(Self.shown).sorted() == right.map(Self.shown).sorted() else {
                return "step \(step), \(url): \(left.map(Self.shown)) are not \(right.map(Self.shown))"
            }
            let count = state.entriesByDomain.values.reduce(0) { $0 + $1.count }
            guard state.count == count, !state.entriesByDomain.values.contains(where: \.isEmpty) else {
                return "step \(step): \(count) cookies are counted as \(state.count)"
            }
        }
        return nil
    }

    private mutating func pick<Element>(_ list: [Element]) -> Element {
        list[Int.random(in: 0..<list.count, using: &random)]
    }

    private mutating func line() -> String {
        var line = pick(["a", "b", "c", "d", "", "__Host-a", "__Secure-b"])
        if !line.isEmpty { line += "=" }
        line += "\(Int.random(in: 0..<1_000, using: &random))"
        line += pick(["", "", "; Path=/", "; Path=/a", "; Path=/a/b", "; Path=x"])
        line += pick([
            "", "", "", "; Domain=example.com", "; Domain=.www.example.com", "; Domain=github.io", "; Domain=io",
        ])
        line += pick(["", "", "; Secure", "; Secure; HttpOnly"])
        line += pick([
            "", "", "", "; Max-Age=3", "; Max-Age=20", "; Max-Age=0", "; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        ])
        return line
    }

    private static func shown(_ cookie: Cookie) -> String {
        "\(cookie)=\(cookie.value) \(cookie.isSecure) \(cookie.creation) \(cookie.lastAccess) \(cookie.expiry?.milliseconds ?? 0)"
    }
}
