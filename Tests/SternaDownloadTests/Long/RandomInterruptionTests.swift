import MutationKit
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Downloads: interrupted at random bytes", .timeLimit(.minutes(20)))
struct RandomInterruptionTests {
    @Test("A resumed file is byte-identical, and at most 64 KiB are sent twice for each interruption")
    func cuts() async throws {
        let (count, size) = LongTests.choose((10, 4 << 20), inFull: (50, 256 << 20))
        let seed = LongTests.seed
        let content = RangedFile.content(size, seed: seed)
        var random = MutationGenerator(seed: seed)
        var drawn: Set<Int> = []
        while drawn.count < count { drawn.insert(Int.random(in: 1..<size, using: &random)) }
        let cuts = drawn.sorted()
        let file = RangedFile(content)
        try await TestServer.withServer { server in
            server.route("GET", "/file") { request in
                file.answer(request) { start in cuts.first { $0 > start } }
            }
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                var interruptions = 0
                while true {
                    do {
                        let done = try await api.download("file", to: .file("\(folder)/x")).value
                        #expect(done.resumedAt > 0)
                        try expectEqual(Data(contentsOf: done.url), Data(content), "seed \(seed)")
                        break
                    } catch let error as SternaError {
                        interruptions += 1
                        #expect([.truncated, .connectionClosed].contains(error.kind), "\(error), seed \(seed)")
                        try #require(interruptions <= count, "\(error), seed \(seed)")
                        #expect(error.resumeData != nil)
                    }
                }
                // Each cut was reached, and none twice.
                expectEqual(interruptions, count, "seed \(seed)")
                let again = file.sent.value - size
                #expect(again >= 0 && again <= count * (64 << 10), "\(again) bytes were sent twice, seed \(seed)")
                try expectEqual(Downloading.names(in: folder), ["x"])
            }
        }
    }
}
