import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Progress of uploads", .timeLimit(.minutes(5)))
struct UploadProgressTests {
    enum Kind: CaseIterable { case bytes, file, stream, chunked }

    @Test("Upload progress never decreases, and ends at the total", arguments: Kind.allCases, [1, 64 << 10, 5_000_000])
    func progress(kind: Kind, size: Int) async throws {
        for secure in [false, true] {
            let file = try TestFile(Wire.pattern(size))
            let body: Body =
                switch kind {
                case .bytes: .bytes(Wire.pattern(size))
                case .file: try .file(file.path)
                case .stream: .stream(Self.pieces(size), length: Int64(size))
                case .chunked: .stream(Self.pieces(size))
                }
            let seen = Mutex([TransferProgress]())
            try await RequestBodyTests.withEcho(secure: secure) { api, _ in
                try await api.post("echo", body: body) {
                    $0.uploadProgress = { progress in seen.withLock { $0.append(progress) } }
                }
            }
            let steps = seen.withLock { $0 }
            let total: Int64? = kind == .chunked ? nil : Int64(size)
            expectEqual(steps.last?.completed, Int64(size))
            #expect(steps.allSatisfy { $0.total == total })
            #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.completed < $1.completed })
            if size > 1 << 20 { #expect(steps.count > 3) }
        }
    }

    static func pieces(_ size: Int) -> AsyncStream<Bytes> {
        AsyncStream { continuation in
            for start in stride(from: 0, to: size, by: 100_000) {
                continuation.yield(Bytes(repeating: 3, count: min(100_000, size - start)))
            }
            continuation.finish()
        }
    }
}
