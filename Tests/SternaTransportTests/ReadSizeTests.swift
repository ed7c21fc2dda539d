import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTransport

/// How much of a body is read at once.
@Suite("Sizes of reads", .timeLimit(.minutes(2)))
struct ReadSizeTests {
    @Test(
        "They grow where much comes, and a body that then comes in small pieces does not hold much memory with each",
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
                #expect(count == all)
                #expect(largest > 64 << 10)
                #expect(last <= 64 << 10)
            }
            reading.finish()
        }
    }
}
