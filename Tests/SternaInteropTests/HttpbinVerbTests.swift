import Sterna
import SternaPlatform
import SternaPropertyList
import Testing

@testable import SternaTestSupport

extension HttpbinTests {
    @Suite("Every verb by every serializer")
    struct Verbs {
        enum Serializer: String, Sendable, CaseIterable {
            case form, json, propertyList, binaryPropertyList

            var value: any RequestSerializer {
                switch self {
                case .form: .form
                case .json: .json
                case .propertyList: .propertyList
                case .binaryPropertyList: .propertyList(.binary)
                }
            }
        }

        static let parameters: Parameters = [
            "name": "Ada & Bob=+%#[]\u{1F426} \u{E9}", "page": 3, "ratio": 0.5, "wide": true, "empty": "",
            "phone": ["mobile": "+44 7", "home": "\"1\"\r\n"], "tags": ["a", "b c", ""],
        ]

        /// What httpbin shows of these parameters as a query or a form.
        static let fields: JSON = [
            "name": "Ada & Bob=+%#[]\u{1F426} \u{E9}", "page": "3", "ratio": "0.5", "wide": "1", "empty": "",
            "phone[mobile]": "+44 7", "phone[home]": "\"1\"\r\n", "tags[]": ["a", "b c", ""],
        ]

        /// What it shows of them as JSON.
        static let members: JSON = [
            "name": "Ada & Bob=+%#[]\u{1F426} \u{E9}", "page": 3, "ratio": 0.5, "wide": true, "empty": "",
            "phone": ["mobile": "+44 7", "home": "\"1\"\r\n"], "tags": ["a", "b c", ""],
        ]

        /// What they are as a property list.
        static let list: PropertyList = [
            "name": "Ada & Bob=+%#[]\u{1F426} \u{E9}", "page": 3, "ratio": 0.5, "wide": true, "empty": "",
            "phone": ["mobile": "+44 7", "home": "\"1\"\r\n"], "tags": ["a", "b c", ""],
        ]

        /// A body as httpbin shows it: as text, or as a URL of its data where it is none.
        private static func bytes(_ shown: String?) -> Data? {
            guard let data = shown?.split(separator: ";base64,", maxSplits: 1).last, shown?.hasPrefix("data:") == true
            else { return shown.map { Data($0.utf8) } }
            return Data(base64Encoded: String(data))
        }

        private func session(_ serializer: Serializer) throws -> Session {
            try HttpbinTests.session {
                $0.requestSerializer = serializer.value
                $0.headers = ["X-Session": "one, two"]
            }
        }

        @Test(
            "GET and DELETE: the query has the parameters, and there is no body", arguments: Serializer.allCases,
            [Request.Method.get, .delete])
        func query(serializer: Serializer, method: Request.Method) async throws {
            let api = try session(serializer)
            let reply =
                method == .get
                ? try await api.get("anything/a%20b", parameters: Self.parameters, headers: ["X-Own": "\u{20}t\t"])
                : try await api.delete("anything/a%20b", parameters: Self.parameters, headers: ["X-Own": "\u{20}t\t"])
            let echo = try await reply.json()
            expectEqual(echo["method"].string, method.rawValue)
            expectEqual(echo["args"], Self.fields)
            expectEqual(echo["url"].string?.contains("/anything/a%20b?"), true)
            expectEqual(echo["form"], [:])
            expectEqual(echo["data"].string, "")
            expectEqual(echo["headers"]["X-Session"].string, "one, two")
            expectEqual(echo["headers"]["X-Own"].string, "t")
            #expect(echo["headers"]["Content-Type"].isNull)
            #expect(echo["headers"]["Content-Length"].isNull)
            #expect(echo["headers"]["Transfer-Encoding"].isNull)
            #expect(echo["headers"]["Host"].string.map { "http://" + $0 } == Httpbin.current?.url)
        }

        @Test(
            "HEAD: the query has the parameters, and the fields come without the body", arguments: Serializer.allCases)
        func head(serializer: Serializer) async throws {
            let api = try session(serializer)
            // The one route that puts into the head what was asked for.
            let reply = try await api.head(
                "response-headers", parameters: ["X-Asked": "a & b=+%", "X-Other": "\"1\", 2"])
            expectEqual(reply.fields("X-Asked").first, "a & b=+%")
            expectEqual(reply.fields("X-Other").first, "\"1\", 2")
            expectEqual(reply.headers[.contentType], "application/json")
            #expect(reply.body.isEmpty)
            let whole = try await api.get(
                "response-headers", parameters: ["X-Asked": "a & b=+%", "X-Other": "\"1\", 2"])
            expectEqual(reply.headers[.contentLength], whole.headers[.contentLength])
            expectEqual(whole.headers[.contentLength], String(whole.body.count))
        }

        @Test(
            "POST, PUT and PATCH: the body has the parameters, with its type and length",
            arguments: Serializer.allCases,
            [Request.Method.post, .put, .patch])
        func body(serializer: Serializer, method: Request.Method) async throws {
            let api = try session(serializer)
            let parameters = Self.parameters
            let query: Parameters = ["q": "1 2"]
            let headers: Headers = ["X-Own": "t"]
            let reply =
                switch method {
                case .post: try await api.post("anything", parameters: parameters, query: query, headers: headers)
                case .put: try await api.put("anything", parameters: parameters, query: query, headers: headers)
                default: try await api.patch("anything", parameters: parameters, query: query, headers: headers)
                }
            let echo = try await reply.json()
            expectEqual(echo["method"].string, method.rawValue)
            expectEqual(echo["args"], ["q": "1 2"])
            expectEqual(echo["headers"]["X-Session"].string, "one, two")
            expectEqual(echo["headers"]["X-Own"].string, "t")
            switch serializer {
            case .form:
                expectEqual(echo["form"], Self.fields)
                expectEqual(echo["data"].string, "")
                #expect(echo["json"].isNull)
                expectEqual(echo["headers"]["Content-Type"].string, "application/x-www-form-urlencoded")
                let length = try QueryEncoder().encode(parameters).utf8.count
                expectEqual(echo["headers"]["Content-Length"].string, String(length))
            case .json:
                expectEqual(echo["json"], Self.members)
                expectEqual(echo["form"], [:])
                expectEqual(echo["headers"]["Content-Type"].string, "application/json")
                expectEqual(echo["headers"]["Content-Length"].string, echo["data"].string.map { String($0.utf8.count) })
            case .propertyList, .binaryPropertyList:
                expectEqual(echo["headers"]["Content-Type"].string, "application/x-plist")
                try expectEqual(PropertyList(parsing: try #require(Self.bytes(echo["data"].string))), Self.list)
            }
        }

        // httpbin answers OPTIONS by itself and shows the parameters nowhere; that they were framed as said shows in the
        // next request, which is read from where this one ends.
        @Test(
            "OPTIONS: the answer has what is allowed, and the next one is read in its place",
            arguments: Serializer.allCases)
        func options(serializer: Serializer) async throws {
            let api = try session(serializer)
            let reply = try await api.options(
                "anything", parameters: Self.parameters, headers: ["Access-Control-Request-Headers": "x-one, x-two"])
            let allowed = reply.fields("Allow").first?.split(separator: ",").map { $0.filter { $0 != " " } } ?? []
            expectEqual(Set(allowed), ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
            expectEqual(reply.fields("Access-Control-Allow-Headers").first, "x-one, x-two")
            let next = try await api.get("anything", parameters: Self.parameters).json()
            expectEqual(next["method"].string, "GET")
            expectEqual(next["args"], Self.fields)
        }

        @Test(
            "A form without parameters is an empty one, JSON and property lists without parameters are nothing",
            arguments: Serializer.allCases)
        func nothing(serializer: Serializer) async throws {
            let echo = try await session(serializer).post("anything").json()
            let type = echo["headers"]["Content-Type"].string
            expectEqual(type, (serializer == .form ? "application/x-www-form-urlencoded" : nil))
            expectEqual(echo["headers"]["Content-Length"].string, "0")
            expectEqual(echo["form"], [:])
            expectEqual(echo["data"].string, "")
        }

        @Test(
            "A body of the caller's own goes out as it is",
            arguments: [Request.Method.get, .post, .put, .patch, .delete])
        func ownBody(method: Request.Method) async throws {
            let text = "{\"tern\": \"\u{1F426}\"}"
            let reply = try await session(.form).request(
                method, "anything", parameters: ["p": "1"], body: .text(text, mediaType: "application/vnd.tern+json"))
            let echo = try await reply.json()
            expectEqual(echo["method"].string, method.rawValue)
            expectEqual(echo["args"], ["p": "1"])
            expectEqual(echo["data"].string, text)
            expectEqual(echo["json"]["tern"].string, "\u{1F426}")
            expectEqual(echo["headers"]["Content-Type"].string, "application/vnd.tern+json")
            expectEqual(echo["headers"]["Content-Length"].string, String(text.utf8.count))
        }

        @Test("Sixty requests at once each get their own answer")
        func concurrent() async throws {
            let api = try session(.json)
            let right = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let echo = try await api.post("anything/\(number)", parameters: ["n": number]).json()
                        return echo["json"]["n"].int == number
                            && echo["url"].string?.hasSuffix("/anything/\(number)") == true
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            expectEqual(right, 60)
        }
    }
}
