import BenchKit
import Sterna

/// What 20 cookies from a jar of 100,000 add to a request, from the caller to the transport, which answers without a network.
enum CookieLoad {
    static func run(_ arguments: Arguments) async throws -> Outcome {
        let url = try HTTPURL(arguments.url)
        let jar = try jar(for: url)
        guard jar.cookies(for: url).count == 20, jar.cookies.count == 100_000 else { throw Refused() }
        let plain = try session(nil)
        let full = try session(jar)
        var (without, with) = (0.0, 0.0)
        let wall = Usage.clock()
        // In short turns, so that what slows the machine for a while slows both.
        let turns = max(1, arguments.count / 500)
        for _ in 0..<turns {
            without += try await time(plain, url)
            with += try await time(full, url)
        }
        let count = turns * 500
        var outcome = Outcome(requests: count, wall: Usage.clock() - wall, cpu: with - without)
        outcome.notes = [("cpu_without", without)]
        return outcome
    }

    private static func session(_ jar: CookieJar?) throws -> Session {
        try Session { settings in
            settings.responseSerializer = .data
            settings.cookies.jar = jar
            settings.network.transport = LocalTransport(expectsCookies: jar != nil)
        }
    }

    private static func time(_ session: Session, _ url: HTTPURL) async throws -> Double {
        let start = Usage.now()
        for _ in 0..<500 { _ = try await session.get(url) }
        return (Usage.now() - start).cpu
    }

    /// Half of the cookies are of the host, half of the domain above it; as many have another path. The others are of 2,499 hosts.
    private static func jar(for url: HTTPURL) throws -> CookieJar {
        var cookies: [Cookie] = []
        func add(_ count: Int, _ domain: String, path: String, includesSubdomains: Bool = false) throws {
            for number in 0..<count {
                cookies.append(
                    try Cookie(
                        name: "cookie\(number)\(path.count)", value: "4f2a9c81d7e65b30a1\(1_000 + number)", domain: domain,
                        includesSubdomains: includesSubdomains, path: path))
            }
        }
        let above = String(url.host.drop { $0 != "." }.dropFirst())
        try add(10, url.host, path: "/")
        try add(10, url.host, path: "/account")
        try add(10, above, path: "/shop", includesSubdomains: true)
        try add(10, above, path: "/elsewhere", includesSubdomains: true)
        for number in 1..<2_500 { try add(40, "www.site\(number).example", path: "/") }
        let jar = CookieJar(limits: CookieLimits(total: 200_000))
        jar.restore(CookieSnapshot(cookies: cookies))
        return jar
    }
}

/// Answers 1 KiB to requests that have cookies, or none, as they should.
private struct LocalTransport: Transport {
    let expectsCookies: Bool
    private let body = Bytes(repeating: 0x61, count: 1_024)

    init(expectsCookies: Bool) { self.expectsCookies = expectsCookies }

    func send(_ request: Request) async throws -> Response {
        guard request.headers.contains(.cookie) == expectsCookies else { throw Refused() }
        return Response(status: .ok, body: ResponseBody(body), url: request.url)
    }
}
