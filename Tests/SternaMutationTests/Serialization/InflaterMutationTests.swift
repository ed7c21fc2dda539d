import MutationKit
import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("Mutations: content codings")
struct InflaterMutationTests {
    /// The first byte chooses the coding and the size of the pieces, the others are the coded body.
    private static let seeds: [[UInt8]] = {
        let texts = ["", "x", String(repeating: "repeated ", count: 200), "some text 123456"]
        let containers: [(UInt8, Zlib.Container)] = [(0, .gzip), (1, .zlib), (6, .gzip), (7, .raw)]
        return containers.flatMap { first, container in
            texts.map { [first] + Zlib.deflate($0.utf8, container) }
        }
    }()

    static let reader = MutatedReader(
        "Inflater", seeds: seeds,
        tokens: [
            [0x1F, 0x8B, 0x08, 0], [0x1F, 0x8B, 0x08, 0x1F], [0x78, 0x9C], [0x78, 0x01], [0x01, 0, 0, 0xFF, 0xFF],
            [0, 0, 0, 0xFF, 0xFF], [0xFF, 0xFF, 0, 0], [0x03, 0],
        ]
    ) { bytes in
        guard let first = bytes.first else { return .refused }
        let inflater = Inflater(first & 1 == 0 ? .gzip : .deflate)
        let size = first & 2 == 0 ? bytes.count : 3
        var limits = DecodingLimits()
        limits.bytes = 1 << 20
        var coded = Int64(0)
        var decoded = Int64(0)
        var rest = bytes.dropFirst()
        var input = Bytes()
        do {
            while !rest.isEmpty {
                input.writeBytes(rest.prefix(size))
                coded += Int64(rest.prefix(size).count)
                rest = rest.dropFirst(size)
                while true {
                    let output = try inflater.decode(&input, limit: first & 4 == 0 ? 4_096 : 7)
                    guard output.readableBytes <= 4_096 else { throw MutationFailure("More than the limit came out.") }
                    decoded += Int64(output.readableBytes)
                    try limits.check(coded: coded, decoded: decoded)
                    if output.readableBytes == 0 { break }
                }
            }
            try inflater.finish()
        } catch is SternaError {
            return .refused
        }
        return .accepted
    }

    @Test("No mutated coded body ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await InflaterMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
