import Sterna
import SternaPlatform
import SternaPropertyList
import Testing

@testable import SternaTestSupport

extension HttpbinTests {
    @Suite("Answers of many kinds")
    struct Responses {
        private func session(_ configure: (inout SessionSettings) -> Void = { _ in }) throws -> Session {
            try HttpbinTests.session(configure)
        }

        // MARK: Status

        @Test("Statuses that are taken", arguments: [200, 201, 202, 203, 204, 205, 206, 226])
        func success(status: Int) async throws {
            let reply = try await session().get("status/\(status)")
            expectEqual(reply.status, status)
            #expect(reply.body.isEmpty)
        }

        @Test(
            "Statuses that are errors",
            arguments: [
                300, 304, 400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 418, 429, 451, 500, 502, 503, 504, 599,
            ])
        func failure(status: Int) async throws {
            let api = try session()
            let error = await #expect(throws: SternaError.self) { try await api.post("status/\(status)") }
            expectEqual(error?.kind, .unacceptableStatus)
            expectEqual(error?.status, status)
            expectEqual(error?.requestSent, true)
            if status == 418 { expectEqual(error?.body?.text.contains("teapot"), true) }
        }

        // MARK: Redirects

        @Test(
            "Redirects are followed: relative and absolute",
            arguments: ["redirect", "relative-redirect", "absolute-redirect"], [1, 4])
        func redirects(route: String, count: Int) async throws {
            let reply = try await session().get("\(route)/\(count)", headers: ["X-Own": "kept"])
            expectEqual(reply.response.redirects.map(\.status), Array(repeating: 302, count: count))
            expectEqual(reply.url.path, "/get")
            try await expectEqual(reply.json()["headers"]["X-Own"].string, "kept")
        }

        @Test("Too many redirects, and none followed")
        func limits() async throws {
            let api = try session()
            let endless = await #expect(throws: SternaError.self) { try await api.get("relative-redirect/21") }
            expectEqual(endless?.kind, .tooManyRedirects)
            try await expectEqual(api.get("relative-redirect/20").status, 200)
            let first = try await api.get("relative-redirect/2") { $0.redirects = .doNotFollow }
            expectEqual(first.status, 302)
            expectEqual(first.headers[.location], "/relative-redirect/1")
        }

        @Test(
            "A method and its body over a redirect",
            arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
        func redirectedBody(status: Int, method: String) async throws {
            let reply = try await session().post(
                "redirect-to", parameters: ["a": "1 2"], query: ["url": "/anything?x=y", "status_code": status])
            let echo = try await reply.json()
            expectEqual(reply.response.redirects.map(\.status), [status])
            expectEqual(echo["method"].string, method)
            expectEqual(echo["args"], ["x": "y"])
            expectEqual(echo["form"], (method == "POST" ? ["a": "1 2"] : [:]))
            expectEqual(echo["headers"]["Content-Type"].isNull, (method == "GET"))
        }

        @Test("PUT keeps its JSON over 307, and a redirect to another origin drops the credentials")
        func redirectedElsewhere() async throws {
            let api = try session {
                $0.auth.header = .bearer("s3cret")
                $0.requestSerializer = .json
            }
            let elsewhere = try #require(Httpbin.current).url.replacing("127.0.0.1", with: "localhost")
            for (target, token) in [("/anything", "Bearer s3cret"), ("\(elsewhere)/anything", nil)] {
                let reply = try await api.put(
                    "redirect-to", parameters: ["a": ["b": 1]], query: ["url": target, "status_code": 307])
                let echo = try await reply.json()
                expectEqual(echo["method"].string, "PUT")
                expectEqual(echo["json"], ["a": ["b": 1]])
                expectEqual(echo["headers"]["Authorization"].string, token)
            }
        }

        // MARK: Credentials

        @Test("Basic credentials: right, wrong, none, and outside ASCII")
        func basic() async throws {
            let api = try session()
            let right = try await api.get("basic-auth/ada/pass:w0rd") { $0.auth.header = .basic("ada", "pass:w0rd") }
            try await expectEqual(right.json()["authenticated"].bool, true)
            try await expectEqual(right.json()["user"].string, "ada")
            for wrong in [Authorization.basic("ada", "no"), nil] {
                let error = await #expect(throws: SternaError.self) {
                    try await api.get("basic-auth/ada/pass") { $0.auth.header = wrong }
                }
                expectEqual(error?.status, 401)
                expectEqual(error?.response?.headers[.wwwAuthenticate]?.hasPrefix("Basic "), true)
            }
            let accents = try await api.get("basic-auth/z%C3%BC/%C3%A9%E2%82%AC") {
                $0.auth.header = .basic("z\u{FC}", "\u{E9}\u{20AC}")
            }
            try await expectEqual(accents.json()["user"].string, "z\u{FC}")
            let hidden = try await api.get("hidden-basic-auth/ada/x") { $0.auth.header = .basic("ada", "x") }
            expectEqual(hidden.status, 200)
        }

        @Test("A bearer's token, of the session and of one request, and none")
        func bearer() async throws {
            let api = try session { $0.auth.header = .bearer("a.b-c_d~e+f/g==") }
            let reply = try await api.get("bearer")
            try await expectEqual(reply.json()["token"].string, "a.b-c_d~e+f/g==")
            let other = try await api.get("bearer") { $0.auth.header = .bearer("other") }
            try await expectEqual(other.json()["token"].string, "other")
            let none = try session()
            let error = await #expect(throws: SternaError.self) { try await none.get("bearer") }
            expectEqual(error?.status, 401)
        }

        // MARK: Content codings

        @Test("gzip and deflate are undone", arguments: [("gzip", "gzipped"), ("deflate", "deflated")])
        func coded(route: String, mark: String) async throws {
            let reply = try await session().get(route)
            let echo = try await reply.json()
            expectEqual(echo[mark].bool, true)
            expectEqual(echo["method"].string, "GET")
            let accepted = try #require(echo["headers"]["Accept-Encoding"].string)
            #expect(accepted.contains("gzip"))
            #expect(accepted.contains("deflate"))
            #expect(!accepted.contains("br"))
        }

        @Test("brotli, which was not asked for, is bytes, and an error where they are read")
        func brotli() async throws {
            let api = try session()
            let reply = try await api.get("brotli") { $0.responseSerializer = .data }
            expectEqual(reply.headers[.contentEncoding], "br")
            let error = await #expect(throws: SternaError.self) { try await reply.json() }
            expectEqual(error?.kind, .contentCodingFailed)
            expectEqual(error?.status, 200)
            // Whoever asks for a coding gets the bytes as they are.
            let coded = try await api.get("brotli", headers: ["Accept-Encoding": "br"])
            expectEqual(coded.headers[.contentEncoding], "br")
            expectEqual(coded.headers[.contentLength], String(coded.body.count))
        }

        // MARK: Types

        @Test("Text of every script, as text of its character set")
        func utf8() async throws {
            let reply = try await session().get("encoding/utf8")
            let text = try await reply.text()
            #expect(text.utf8.elementsEqual(reply.body.array))
            expectEqual(reply.headers[.contentLength], String(text.utf8.count))
            #expect(text.contains("\u{222E} E\u{22C5}da = Q"))
            #expect(text.contains("STARG\u{39B}\u{30A}TE"))
        }

        @Test("XML and HTML are text, and no JSON", arguments: [("xml", "<slideshow"), ("html", "Herman Melville")])
        func markup(route: String, part: String) async throws {
            let reply = try await session().get(route)
            #expect(try await reply.text().contains(part))
            let error = await #expect(throws: SternaError.self) { try await reply.json() }
            expectEqual(error?.kind, .unacceptableMediaType)
        }

        // The route answers with text, and the binary form is none.
        @Test("A property list, of a type that is taken and of one that is not")
        func propertyList() async throws {
            let list: PropertyList = ["name": "Zoë", "pages": 3]
            let coded = Data(try list.serialized()).base64EncodedString().replacing("+", with: "-")
            let reply = try await session().get("base64/" + coded.replacing("/", with: "_"))
            let any = PropertyListResponseSerializer(validation: ResponseValidation())
            try await expectEqual(reply.value(by: any), list)
            let error = await #expect(throws: SternaError.self) { try await reply.propertyList() }
            expectEqual(error?.kind, .unacceptableMediaType)
        }

        @Test("An image's bytes, and the same by Accept")
        func image() async throws {
            let api = try session()
            let reply = try await api.get("image/png")
            let bytes = [UInt8](try reply.data())
            expectEqual(reply.headers[.contentType], "image/png")
            expectEqual(reply.headers[.contentLength], String(bytes.count))
            #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
            // The last chunk of a PNG, which is empty: its length, name and checksum.
            expectEqual(bytes.suffix(12), [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
            expectEqual([UInt8](try await api.get("image", headers: ["Accept": "image/png"]).data()), bytes)
        }

        @Test("JSON as a value, with members that are lists and dictionaries")
        func decoded() async throws {
            struct Show: Decodable, Sendable {
                struct Slide: Decodable, Sendable {
                    var title: String
                    var items: [String]?
                }
                var author: String
                var slides: [Slide]
            }
            let reply = try await session().get("json")
            let shows: [String: Show] = try await reply.decode()
            expectEqual(shows["slideshow"]?.author, "Yours Truly")
            expectEqual(shows["slideshow"]?.slides.last?.items?.count, 2)
        }

        // MARK: Fields

        @Test("Header fields that were asked for, one of them twice")
        func fields() async throws {
            let reply = try await session().get(
                "response-headers", parameters: ["X-Set": Set(["a"]), "X-Text": "a; b=\"c, d\"", "Set-Cookie": ["x=1"]],
            ) { $0.requestSerializer = HTTPRequestSerializer(encoder: QueryEncoder(arrays: .none)) }
            expectEqual(reply.fields("X-Text").first, "a; b=\"c, d\"")
            expectEqual(reply.fields("X-Set").first, "a")
            expectEqual(reply.headers[.setCookie], "x=1")
            let twice = try await session().get("response-headers?X-Twice=one&X-Twice=two%2C%20three")
            expectEqual(twice.fields("X-Twice"), ["one", "two, three"])
            try await expectEqual(twice.json()["X-Twice"], ["one", "two, three"])
        }

        @Test("Cookies: set with a redirect, and shown")
        func cookies() async throws {
            let api = try session()
            let first = try await api.get("cookies/set", parameters: ["tern": "arctic"]) { $0.redirects = .doNotFollow }
            expectEqual(first.status, 302)
            expectEqual(first.headers[.setCookie]?.hasPrefix("tern=arctic;"), true)
            let followed = try await api.get("cookies/set", parameters: ["tern": "arctic"])
            expectEqual(followed.url.path, "/cookies")
            expectEqual(followed.response.redirects.map(\.status), [302])
            #expect(try await followed.json()["cookies"].object != nil)
            let shown = try await session().get("cookies", headers: ["Cookie": "a=1; b=2"])
            try await expectEqual(shown.json()["cookies"], ["a": "1", "b": "2"])
        }

        @Test("Ranges: a part, the end, the whole, and one that there is none of")
        func ranges() async throws {
            let api = try session()
            let part = try await api.get("range/1024", headers: ["Range": "bytes=10-19"])
            expectEqual(part.status, 206)
            expectEqual(part.headers[.contentRange], "bytes 10-19/1024")
            try await expectEqual(part.text(), "klmnopqrst")
            let end = try await api.get("range/1024", headers: ["Range": "bytes=-3"])
            try await expectEqual(end.text(), "hij")
            let whole = try await api.get("range/1024")
            expectEqual(whole.status, 200)
            expectEqual(whole.body.count, 1024)
            let none = await #expect(throws: SternaError.self) {
                try await api.get("range/1024", headers: ["Range": "bytes=2000-3000"])
            }
            expectEqual(none?.status, 416)
            expectEqual(none?.response?.headers[.contentRange], "bytes */1024")
        }

        @Test("What has not changed since is status 304")
        func unchanged() async throws {
            let api = try session()
            try await expectEqual(api.get("etag/tern").headers[.eTag], "tern")
            let error = await #expect(throws: SternaError.self) {
                try await api.get("etag/tern", headers: ["If-None-Match": "\"tern\""])
            }
            expectEqual(error?.status, 304)
        }
    }
}
