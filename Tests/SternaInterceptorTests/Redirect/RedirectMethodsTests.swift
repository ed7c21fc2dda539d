import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Method, body and fields after a redirect, by rule")
struct RedirectMethodsTests {
    static let methods: [Request.Method] = [.get, .head, .post, .put, .delete, .patch]

    /// Outcomes for GET, HEAD, POST, PUT, DELETE, PATCH: k keeps, c asks for consent, g becomes GET, p a plain one.
    static let table: [(RedirectMethods, Int, String)] = [
        (.fetch, 301, "kkgkkk"), (.fetch, 302, "kkgkkk"), (.fetch, 303, "kkgggg"), (.fetch, 307, "kkkkkk"),
        (.fetch, 308, "kkkkkk"),
        (.rfc9110, 301, "kkkkkk"), (.rfc9110, 302, "kkkkkk"), (.rfc9110, 303, "kkgggg"), (.rfc9110, 307, "kkkkkk"),
        (.rfc9110, 308, "kkkkkk"),
        (.rfc2616, 301, "kkcccc"), (.rfc2616, 302, "kkcccc"), (.rfc2616, 303, "kggggg"), (.rfc2616, 307, "kkcccc"),
        (.rfc2616, 308, "kkcccc"),
        (.asiHTTPRequest, 301, "pppppp"), (.asiHTTPRequest, 302, "pppppp"), (.asiHTTPRequest, 303, "pppppp"),
        (.asiHTTPRequest, 307, "kkkkkk"), (.asiHTTPRequest, 308, "kkkkkk"),
        (.fetch.keepingPost(on: [301]), 301, "kkkkkk"), (.fetch.keepingPost(on: [301]), 302, "kkgkkk"),
        (.fetch.keepingPost(on: [301]).keepingPost(on: [303]), 303, "kkkggg"),
        (.rfc2616.keepingPost(on: [302]), 302, "kkkccc"), (.asiHTTPRequest.keepingPost(on: [302]), 302, "ppkppp"),
    ]

    @Test("The outcome by rule, status and method", arguments: table)
    func outcome(rule: RedirectMethods, status: Int, expected: String) {
        let words = Self.methods.map { method in
            switch rule.outcome(method, status) {
            case .keep: "k"
            case .keepIfConfirmed: "c"
            case .get: "g"
            case .plainGet: "p"
            }
        }
        expectEqual(words.joined(), expected, "\(rule) \(status)")
    }

    private func decide(_ request: Request, _ status: Int, _ rule: RedirectMethods) -> RedirectRule.Decision {
        var policy = RedirectPolicy.follow
        policy.methods = rule
        let response = Response(
            status: .init(code: status), section: FieldSection([.location: "/b"]), url: request.url)
        return RedirectRule.decide(request, response, policy: policy)
    }

    private func post(_ body: Body = .text("a=1")) throws -> Request {
        let headers: HTTPFields = [
            .contentType: "text/plain", .expect: "100-continue", .userAgent: "agent", .accept: "a/b",
            .acceptEncoding: "gzip, deflate", .authorization: "Bearer s3cret", .referer: "http://c.test/",
            .range: "bytes=1-",
        ]
        return Request(.post, try HTTPURL("https://api.example.com/a"), headers: headers, body: body)
    }

    @Test("A GET made of a POST has no body and no fields that describe one", arguments: [301, 302, 303])
    func get(status: Int) throws {
        guard case .follow(let next) = decide(try post(), status, .fetch) else { throw Unexpected() }
        expectEqual(next.method, .get)
        expectNil(next.body)
        #expect(!next.headers.contains(.contentType))
        #expect(!next.headers.contains(.expect))
        #expect(next.headers[.referer] == "http://c.test/")
    }

    @Test("A GET by ASIHTTPRequest's rule has only the fields that the rule keeps")
    func plain() throws {
        guard case .follow(let next) = decide(try post(), 302, .asiHTTPRequest) else { throw Unexpected() }
        expectEqual(next.method, .get)
        expectNil(next.body)
        expectEqual(
            Set(next.headers.map(\.name)), [.userAgent, .accept, .acceptEncoding, .authorization, .range])
        guard case .follow(let kept) = decide(try post(), 307, .asiHTTPRequest) else { throw Unexpected() }
        expectEqual(kept.method, .post)
        expectEqual(kept.headers, (try post()).headers)
    }

    @Test("RFC 9110 repeats a POST, whose body has to be replayable", arguments: [301, 302])
    func strict(status: Int) throws {
        guard case .follow(let next) = decide(try post(), status, .rfc9110) else { throw Unexpected() }
        expectEqual(next.method, .post)
        #expect(next.body != nil)
        let once = Body.stream(AsyncStream<Bytes> { $0.finish() })
        guard case .refuse(let error) = decide(try post(once), status, .rfc9110) else { throw Unexpected() }
        expectEqual(error.kind, .bodyNotReplayable)
        #expect(error.detail.contains("read only once"))
    }

    @Test("RFC 2616's rule requires consent, and the error without it names the RFC")
    func consent() throws {
        guard case .confirm(let next, let error) = decide(try post(), 302, .rfc2616) else { throw Unexpected() }
        expectEqual(next.method, .post)
        expectEqual(next.url.path, "/b")
        expectEqual(error.kind, .redirectRefused)
        #expect(error.detail.contains("RFC 2616"))
    }

    @Test("A rule is shown by its name")
    func shown() {
        expectEqual("\(RedirectMethods.fetch)", "fetch")
        expectEqual("\(RedirectMethods.rfc9110.keepingPost(on: [303, 301]))", "rfc9110, POST kept on 301, 303")
        expectEqual(RedirectPolicy.follow.methods, .fetch)
    }

    private struct Unexpected: Error {}
}
