import Sterna
import SternaPlatform
import Testing

@testable import SternaTestSupport

extension HttpbinTests {
    @Suite("Streams, time-outs and uploads")
    struct Transfers {
        private func session() throws -> Session {
            try HttpbinTests.session { $0.responseSerializer = .data }
        }

        // MARK: Down

        @Test("A stream of lines comes whole and in order")
        func lines() async throws {
            let bytes = try await session().withResponse(to: .get("stream/50", query: ["a": "b c"])) { response in
                expectEqual(response.headers[.transferEncoding], "chunked")
                var bytes: [UInt8] = []
                for try await chunk in response.body { bytes.append(contentsOf: chunk.array) }
                return bytes
            }
            let lines = try bytes.split(separator: 0x0A).map { try JSON(parsing: String(decoding: $0, as: UTF8.self)) }
            expectEqual(lines.map { $0["id"].int }, Array(0..<50))
            #expect(lines.allSatisfy { $0["args"]["a"].string == "b c" })
        }

        @Test("Bytes in pieces of any size, with a length and in chunks", arguments: [1, 7, 1_000, 65_536])
        func pieces(size: Int) async throws {
            let api = try session()
            let count = size == 1 ? 3_000 : 60_000
            let alphabet = try await api.get("range/\(count)", query: ["chunk_size": size])
            expectEqual(alphabet.headers[.contentLength], String(count))
            expectEqual(alphabet.body.array, (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) })
            // Nobody knows which bytes: the server's threads share their generator, whatever seed they are given.
            let random = try await api.get("stream-bytes/\(count)", query: ["chunk_size": size])
            expectEqual(random.headers[.transferEncoding], "chunked")
            expectEqual(random.body.count, count)
        }

        @Test("Bytes that drip are there before the last has come")
        func drip() async throws {
            let api = try session()
            let started = ContinuousClock.now
            let first = try await api.withResponse(to: .get("drip", query: ["numbytes": 2, "duration": 30])) {
                response in
                for try await chunk in response.body { return chunk.text }
                return ""
            }
            expectEqual(first, "*")
            #expect(ContinuousClock.now - started < .seconds(15))
            let whole = try await api.get("drip", query: ["numbytes": 8, "duration": 0.1])
            try await expectEqual(whole.text(), "********")
            let error = await #expect(throws: SternaError.self) {
                try await api.get("drip", query: ["numbytes": 2, "duration": 0, "code": 503])
            }
            expectEqual(error?.status, 503)
            expectEqual(error?.body?.text, "**")
        }

        // MARK: Time

        @Test("A server that says nothing runs into the time-out for the first byte")
        func delayed() async throws {
            let api = try session()
            let error = await #expect(throws: SternaError.self) {
                try await api.get("delay/10") { $0.timeouts.firstByte = .milliseconds(200) }
            }
            expectEqual(error?.kind, .timedOut)
            expectEqual(error?.phase, .wait)
            expectEqual(error?.requestSent, true)
            // In time, it is an answer like others.
            let reply = try await HttpbinTests.session().post("delay/0.1", parameters: ["a": 1])
            try await expectEqual(reply.json()["form"], ["a": "1"])
        }

        @Test("A body that stops runs into the time-out between bytes")
        func stalled() async throws {
            let api = try session()
            let started = ContinuousClock.now
            let error = await #expect(throws: SternaError.self) {
                try await api.get("drip", query: ["numbytes": 2, "duration": 60]) {
                    $0.timeouts.betweenBytes = .milliseconds(200)
                }
            }
            expectEqual(error?.kind, .timedOut)
            expectEqual(error?.phase, .read)
            expectEqual(error?.status, 200)
            #expect(ContinuousClock.now - started < .seconds(25))
        }

        @Test("A total that is spent while the body drips")
        func total() async throws {
            let api = try session()
            let error = await #expect(throws: SternaError.self) {
                try await api.get("drip", query: ["numbytes": 160, "duration": 60]) {
                    $0.timeouts.total = .milliseconds(700)
                }
            }
            expectEqual(error?.kind, .timedOut)
        }

        // MARK: Up

        @Test("A megabyte of bytes arrives as it is", arguments: [Request.Method.post, .put, .patch])
        func megabyte(method: Request.Method) async throws {
            let bytes = noise(1 << 20)
            let reply = try await HttpbinTests.session().request(method, "anything", body: .data(Data(bytes)))
            let echo = try await reply.json()
            expectEqual(echo["headers"]["Content-Length"].string, "1048576")
            expectEqual(echo["headers"]["Content-Type"].string, "application/octet-stream")
            // httpbin shows what is no text as a data URL.
            let prefix = "data:application/octet-stream;base64,"
            let shown = try #require(echo["data"].string)
            #expect(shown.hasPrefix(prefix))
            expectEqual(Data(base64Encoded: String(shown.dropFirst(prefix.count))), Data(bytes))
        }

        @Test("A megabyte of JSON arrives as it was meant")
        func megabyteOfJSON() async throws {
            let values = (0..<40_000).map { "tern \($0) \u{1F426}" }
            let api = try HttpbinTests.session { $0.requestSerializer = .json }
            let echo = try await api.post("post", parameters: ["values": values]).json()
            expectEqual(echo["json"]["values"].array?.count, values.count)
            expectEqual(echo["json"]["values"].array?.map(\.string), values)
        }

        @Test(
            "A sequence goes up in chunks, and by its length where it is known", arguments: [nil, 200_000] as [Int64?])
        func sequence(length: Int64?) async throws {
            let pieces = (0..<200).map { String(repeating: "\($0 % 10)", count: 1_000) }
            let stream = AsyncStream<Bytes> { continuation in
                for piece in pieces { continuation.yield(Bytes(text: piece)) }
                continuation.finish()
            }
            let reply = try await HttpbinTests.session().post(
                "anything", body: .stream(stream, length: length, mediaType: "text/plain"))
            let echo = try await reply.json()
            expectEqual(echo["headers"]["Transfer-Encoding"].string, (length == nil ? "chunked" : nil))
            expectEqual(echo["headers"]["Content-Length"].string, length.map { String($0) })
            expectEqual(echo["data"].string, pieces.joined())
        }

        @Test("A sequence without elements is a body without bytes, and the connection goes on")
        func emptySequence() async throws {
            let api = try HttpbinTests.session()
            for number in 0..<3 {
                let none = AsyncStream<Bytes> { $0.finish() }
                let echo = try await api.put("anything", body: .stream(none), headers: ["X-Number": "\(number)"]).json()
                expectEqual(echo["data"].string, "")
                expectEqual(echo["headers"]["X-Number"].string, "\(number)")
            }
        }

        @Test("A file goes up as it is")
        func file() async throws {
            let text = try String(contentsOfFile: #filePath, encoding: .utf8)
            let echo = try await HttpbinTests.session()
                .put("put", body: try .file(#filePath, mediaType: "text/x-swift")).json()
            expectEqual(echo["data"].string, text)
            expectEqual(echo["headers"]["Content-Type"].string, "text/x-swift")
        }

    }
}
