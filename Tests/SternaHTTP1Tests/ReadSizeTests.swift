import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// How much of a body is read at once.
@Suite("Sizes of reads", .timeLimit(.minutes(5)))
struct ReadSizeTests {
    @Test(
        "Read sizes grow with much input, and small pieces that follow hold little memory each",
        arguments: [Int?.none, 64 << 20])
    func follows(length: Int?) async throws {
        let burst = [UInt8](repeating: 1, count: 1 << 20)
        let piece = [UInt8](repeating: 2, count: 5_000)
        let pieces = 40
        let all = length ?? 64 << 20
        let (isRead, reading) = AsyncStream<Void>.makeStream()
        try await TestServer.withServer { server in
            server.route("GET", "/body") { _ in
                ServerResponse(
                    body: .stream(length: length) { writer in
                        var left = all - pieces * piece.count
                        while left > 0 {
                            try await writer.write(Array(burst.prefix(left)))
                            left -= min(left, burst.count)
                        }
                        var turns = isRead.makeAsyncIterator()
                        for _ in 0..<pieces {
                            await turns.next()
                            try await writer.write(piece)
                        }
                    })
            }
            let api = try PoolSupport.session(server.url, PoolSupport.engine())
            try await api.withResponse(to: .get("body")) { response in
                var (count, largest, last) = (0, 0, 0)
                for try await bytes in response.body {
                    count += bytes.readableBytes
                    largest = max(largest, bytes.readableBytes)
                    last = bytes.storageCapacity
                    let rest = all - count
                    if rest > 0, rest <= pieces * piece.count, rest % piece.count == 0 { reading.yield() }
                }
                expectEqual(count, all)
                #expect(largest > 64 << 10)
                #expect(last <= 64 << 10)
            }
            reading.finish()
        }
    }

    @Test(
        "A small response does not keep the large buffer that it was read into",
        arguments: ["plain", "TLS", "HTTP/2"])
    func smallAnswer(way: String) async throws {
        let authority = try CertificateAuthority()
        let bundle = way == "plain" ? nil : try authority.issue(hosts: ["localhost"])
        try await TestServer.withServer(.init(tls: bundle, http2: way == "HTTP/2" ? .byALPN : [])) { server in
            server.route("GET", "/small") { _ in .bytes([UInt8](repeating: 1, count: 100)) }
            let api = try PoolSupport.session(server.url, PoolSupport.engine(), authority: authority)
            for _ in 0..<3 {
                let reply = try await api.get("small")
                expectEqual(reply.response.version, (way == "HTTP/2" ? .http2 : .http11))
                expectEqual(reply.body.readableBytes, 100)
                #expect(reply.body.storageCapacity <= 1 << 10)
            }
        }
    }

    @Test("Few bytes in a large buffer are copied, many bytes or most of it are not")
    func surplus() {
        for (count, capacity, isCopied) in [
            (1, 64, true), (100, 2_048, true), (1_024, 2_048, true), (1_025, 2_048, false), (8_192, 65_536, true),
            (8_193, 65_536, false), (0, 2_048, true),
        ] {
            var read = Bytes()
            read.reserveCapacity(capacity)
            read.writeRepeatingByte(7, count: count)
            let kept = read.withoutSurplus
            expectEqual(kept, read)
            expectEqual((kept.storageCapacity < read.storageCapacity), isCopied, "\(count) of \(capacity)")
        }
    }
}
