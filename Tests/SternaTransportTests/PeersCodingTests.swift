import CSternaZlib
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Hostile servers: content codings", .timeLimit(.minutes(5)))
struct PeersCodingTests {
    static func answer(_ body: [UInt8], coding: String = "gzip") -> [ScriptedServer.Step] {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
        return [.send(head), .sendBytes(body)]
    }

    @Test("gzip bomb, 1 MB to 1 GiB")
    func bomb() async throws {
        // Sixteen members of 64 MiB each.
        let member = Zlib.gzip([UInt8](repeating: 0, count: 64 << 20))
        #expect(member.count > 1_000 && member.count < 80_000)
        let bomb = Array(repeating: member, count: 16).flatMap { $0 }
        try await Wire.refusal(.limitExceeded, .decode, mayKeep: true, script: Self.answer(bomb))
        // A small one, which comes in one piece, is decoded no further than a large one.
        try await Wire.refusal(.limitExceeded, .decode, mayKeep: true, script: Self.answer(member))
        try await Wire.refusal(
            .limitExceeded, .decode, mayKeep: true, script: Self.answer(Zlib.gzip(member), coding: "gzip, gzip"))
        try await Wire.refusal(.limitExceeded, .decode, mayKeep: true, script: Self.answer(bomb), settings: { _ in }) {
            api in
            try await api.withResponse(to: .get("row")) { response in
                var largest = 0
                var total = 0
                defer { #expect(largest <= 1 << 20 && total <= 300 << 20) }
                for try await chunk in response.body {
                    largest = max(largest, chunk.readableBytes)
                    total += chunk.readableBytes
                }
            }
        }
    }

    @Test("gzip bomb, let in by raised limits")
    func raised() async throws {
        let reply = try await Wire.answer(script: Self.answer(Zlib.gzip([UInt8](repeating: 0, count: 16 << 20)))) {
            $0.limits.decompression.ratio = 2_000
        }
        expectEqual(reply.body.readableBytes, 16 << 20)
    }

    @Test("gzip, by size alone")
    func size() async throws {
        let body = Wire.pattern(100_000)
        try await Wire.refusal(
            .limitExceeded, .decode, mayKeep: true, script: Self.answer(Zlib.gzip(body)),
            settings: { $0.limits.decompression.bytes = 99_999 })
        let reply = try await Wire.answer(
            script: Self.answer(Zlib.gzip(body)), settings: { $0.limits.decompression.bytes = 100_000 })
        expectEqual(Array(reply.body.readableBytesView), body)
    }

    @Test("truncated gzip", arguments: [1, 9, 10, 11, 1_000, 50_000, -9, -8, -4, -1])
    func truncated(count: Int) async throws {
        let coded = Zlib.gzip(Wire.pattern(60_000))
        let cut = Array(coded.prefix(count > 0 ? count : coded.count + count))
        let error = try await Wire.refusal(.contentCodingFailed, .decode, script: Self.answer(cut) + [.close])
        expectEqual(error?.url?.hasSuffix("/row"), true)
        try await Wire.refusal(.contentCodingFailed, .decode, script: Self.answer(cut) + [.close], settings: { _ in }) {
            api in
            try await api.withResponse(to: .get("row")) { response in for try await _ in response.body {} }
        }
    }

    @Test("gzip with a wrong checksum, bytes behind its end, or that is none")
    func damaged() async throws {
        let coded = Zlib.gzip(Wire.pattern(60_000))
        var sum = coded
        sum[coded.count - 6] ^= 1
        for body in [sum, coded + [0], coded + Array("tail".utf8), Array("<html>".utf8), [0x1F], [0x1F, 0x8B, 9, 0]] {
            try await Wire.refusal(.contentCodingFailed, .decode, script: Self.answer(body) + [.close])
        }
    }

    @Test("a truncated body of a known length is truncated before it is badly coded")
    func cutBody() async throws {
        let coded = Zlib.gzip(Wire.pattern(60_000))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
        try await Wire.refusal(
            .truncated, .read,
            script: [.send(head), .sendBytes(Array(coded.dropLast(100))), .pause(milliseconds: 20), .close])
    }

    @Test(
        "a coding that was not asked for, where the body is read",
        arguments: ["br", "zstd", "gzip, br", "gzip,gzip,gzip,gzip,gzip", "gz ip"])
    func unknown(coding: String) async throws {
        try await Wire.refusal(
            .contentCodingFailed, .decode, script: Self.answer(Zlib.gzip([1, 2, 3]), coding: coding) + [.close],
            settings: { $0.responseSerializer = .text }
        ) { _ = try await $0.get("row").text() }
    }
}
