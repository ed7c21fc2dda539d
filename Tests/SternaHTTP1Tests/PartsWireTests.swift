import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Parts of responses over sockets", .timeLimit(.minutes(5)))
struct PartsWireTests {
    private static func parts(
        subtype: String = "mixed", _ write: @escaping @Sendable (ServerBodyWriter) async throws -> Void
    ) -> ServerResponse {
        ServerResponse(
            headers: ["Content-Type": "multipart/\(subtype); boundary=b"], body: .stream(length: nil, write))
    }

    @Test("A frame with a length is complete before the next one arrives")
    func frames() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.route("GET", "/camera") { _ in
                Self.parts(subtype: "x-mixed-replace") { writer in
                    try await writer.write("--b\r\nContent-Length: 3\r\n\r\none")
                    await gate.wait()
                    try await writer.write("\r\n--b\r\nContent-Length: 3\r\n\r\ntwo\r\n--b--\r\n")
                }
            }
            try await Wire.session(server.url).withResponse(to: .get("camera")) { response in
                var texts: [String] = []
                for try await part in response.parts {
                    try await texts.append(part.body.collect(upTo: 100).text)
                    gate.open()
                }
                expectEqual(texts, ["one", "two"])
            }
        }
    }

    @Test("Bytes of a part arrive before the part is complete")
    func early() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.route("GET", "/parts") { _ in
                Self.parts { writer in
                    try await writer.write("--b\r\n\r\none")
                    await gate.wait()
                    try await writer.write(", two\r\n--b--\r\n")
                }
            }
            try await Wire.session(server.url).withResponse(to: .get("parts")) { response in
                for try await part in response.parts {
                    var all = ""
                    for try await bytes in part.body {
                        all += bytes.text
                        if all == "one" { gate.open() }
                    }
                    expectEqual(all, "one, two")
                }
            }
        }
    }

    @Test("A loop that is left closes the connection to an endless sequence of parts")
    func left() async throws {
        try await TestServer.withServer { server in
            let api = try Wire.session(server.url)
            let texts = try await api.withResponse(to: .get("frames?rate=10000")) { response in
                var texts: [String] = []
                for try await part in response.parts {
                    try await texts.append(part.body.collect(upTo: 100).text)
                    if texts.count == 3 { break }
                }
                return texts
            }
            expectEqual(texts, ["frame 0", "frame 1", "frame 2"])
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("A loop over ranges that is left, or cancelled, closes the connection", arguments: [false, true])
    func leftRanges(isReading: Bool) async throws {
        try await TestServer.withServer { server in
            let isOver = Gate()
            server.route("GET", "/file") { _ in
                ServerResponse(
                    body: .stream(length: 1 << 30) { writer in
                        try await writer.write("abc")
                        await isOver.wait()
                    })
            }
            let api = try Wire.session(server.url)
            let first = Gate()
            let task = Task {
                for try await piece in api.ranges([0..<2, 4..<6], of: .get("file")) {
                    expectEqual(piece.range, 0..<1 << 30)
                    for try await _ in piece.body {
                        first.open()
                        // Leaves both loops, or waits for more bytes.
                        if !isReading { return }
                    }
                }
            }
            await first.wait()
            if isReading { task.cancel() }
            let result = await task.result
            if isReading {
                let error = #expect(throws: SternaError.self) { try result.get() }
                expectEqual(error?.kind, .cancelled)
            }
            try await server.waitForOpenConnections(0)
            isOver.open()
        }
    }

    @Test("A part that is kept can be read after its loop was left, and holds the connection until then")
    func kept() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/file") { .ranges(of: Array("abcdefgh".utf8), for: $0) }
            let api = try Wire.session(server.url)
            var kept: ResponsePart?
            for try await piece in api.ranges([0..<2, 4..<6], of: .get("file")) {
                kept = piece
                break
            }
            try await expectEqual(kept?.body.collect(upTo: 10).text, "ab")
        }
    }

    @Test("A connection that is cut, within a part or behind one, is an error", arguments: ["", "\r\n--b"])
    func cut(end: String) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/parts") { _ in
                Self.parts { writer in
                    try await writer.write("--b\r\n\r\none\r\n--b\r\n\r\ntwo\(end)")
                    throw CancellationError()
                }
            }
            try await Wire.session(server.url).withResponse(to: .get("parts")) { response in
                var texts: [String] = []
                let error = await #expect(throws: SternaError.self) {
                    for try await part in response.parts {
                        try await texts.append(part.body.collect(upTo: 100).text)
                    }
                }
                expectEqual(texts, ["one"])
                #expect(error?.kind == .truncated || error?.kind == .connectionClosed, "\(error?.detail ?? "")")
            }
        }
    }

    @Test("A body that ends without its closing delimiter is truncated, though its framing is complete")
    func truncated() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/parts") { _ in Self.parts { try await $0.write("--b\r\n\r\none\r\n--b\r\n\r\ntwo") } }
            let api = try Wire.session(server.url)
            for _ in 1...2 {
                let error = await #expect(throws: SternaError.self) {
                    try await api.withResponse(to: .get("parts")) { response in
                        for try await part in response.parts { _ = try await part.body.collect(upTo: 100) }
                    }
                }
                expectEqual(error?.kind, .truncated)
            }
        }
    }

    @Test("A slow reader of a part slows the server down")
    func backPressure() async throws {
        try await TestServer.withServer { server in
            let written = Counter()
            server.route("GET", "/parts") { _ in
                Self.parts { writer in
                    try await writer.write("--b\r\n\r\n")
                    let piece = String(repeating: "a", count: 1 << 16)
                    for _ in 0..<1_000 {
                        try await writer.write(piece)
                        written.add()
                    }
                    try await writer.write("\r\n--b--")
                }
            }
            try await Wire.session(server.url).withResponse(to: .get("parts")) { response in
                var count = 0
                for try await part in response.parts {
                    var isFirst = true
                    for try await bytes in part.body {
                        count += bytes.count
                        guard isFirst else { continue }
                        isFirst = false
                        // The server stops when the buffers of both sides are full.
                        var (last, pauses) = (-1, 0)
                        let stops = await eventually {
                            let now = written.value
                            pauses = now == last ? pauses + 1 : 0
                            last = now
                            return pauses == 100
                        }
                        #expect(stops)
                        #expect(written.value < 900)
                    }
                }
                expectEqual(count, 1_000 << 16)
            }
        }
    }

    @Test("A connection serves the next request after the closing delimiter")
    func keptConnection() async throws {
        try await TestServer.withServer { server in
            let api = try Wire.session(server.url)
            for _ in 1...3 {
                let count = try await api.withResponse(to: .get("parts/5")) { response in
                    var count = 0
                    for try await _ in response.parts { count += 1 }
                    return count
                }
                expectEqual(count, 5)
            }
            expectEqual(Set(server.requests().map(\.connection)).count, 1)
        }
    }
}
