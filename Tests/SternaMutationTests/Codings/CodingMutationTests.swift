#if Brotli && Zstd
import MutationKit
import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("Mutations: Brotli and Zstandard")
struct CodingMutationTests {
    private static let texts: [[UInt8]] = [
        [], Array("x".utf8), Array(String(repeating: "repeated ", count: 200).utf8), Array("some text 123456".utf8),
    ]

    private static func coded(_ coding: ContentCoding, levels: [Int]) -> [[UInt8]] {
        texts.flatMap { text in
            levels.compactMap { level in
                guard let encoder = try? coding.makeEncoder(level: level, length: level == 1 ? nil : Int64(text.count)),
                    let start = try? encoder.compress(Bytes(bytes: text)), let end = try? encoder.compress(nil)
                else { return nil }
                return Array(start.readableBytesView) + Array(end.readableBytesView)
            }
        }
    }

    /// Reads a coded body whole and in pieces of three bytes, which must agree.
    private static func outcome(_ bytes: [UInt8], _ coding: ContentCoding) throws -> MutationOutcome {
        let whole = try decode(bytes, coding, size: max(bytes.count, 1), limit: 64 << 10)
        let pieces = try decode(bytes, coding, size: 3, limit: 7)
        guard whole == pieces else {
            throw MutationFailure("The whole gives \(whole?.count ?? -1) bytes, pieces give \(pieces?.count ?? -1).")
        }
        return whole == nil ? .refused : .accepted
    }

    private static func decode(_ bytes: [UInt8], _ coding: ContentCoding, size: Int, limit: Int) throws -> [UInt8]? {
        let decoder = coding.makeDecoder()
        var input = Bytes()
        var decoded: [UInt8] = []
        var rest = bytes[...]
        do {
            while !rest.isEmpty {
                input.writeBytes(rest.prefix(size))
                rest = rest.dropFirst(size)
                while true {
                    let output = try decoder.decode(&input, limit: limit)
                    guard output.readableBytes <= limit else { throw MutationFailure("More than the limit came out.") }
                    if output.readableBytes == 0 { break }
                    decoded += output.readableBytesView
                    if decoded.count > 64 << 10 { return nil }
                }
            }
            try decoder.finish()
        } catch is SternaError {
            return nil
        }
        return decoded
    }

    static let brotli = MutatedReader(
        "Brotli", seeds: coded(.brotli, levels: [1, 5, 11]),
        tokens: [[0x06], [0x3B], [0x11, 0x1A], [0xA1, 0x01], [0x03], [0x0B]]
    ) { bytes in try outcome(bytes, .brotli) }

    static let zstandard = MutatedReader(
        "Zstandard",
        seeds: coded(.zstd, levels: [1, 3, 19]) + [
            [0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 7],
            [0x28, 0xB5, 0x2F, 0xFD, 0x24, 0x00, 0x01, 0x00, 0x00, 0x99, 0xE9, 0xD8, 0x51],
        ],
        tokens: [
            [0x28, 0xB5, 0x2F, 0xFD], [0x27, 0xB5, 0x2F, 0xFD], [0x28, 0xB5, 0x2F, 0xFD, 0x20],
            [0x28, 0xB5, 0x2F, 0xFD, 0, 0x58],
            [0x50, 0x2A, 0x4D, 0x18], [0, 0, 0, 0], [1, 0, 0], [0x03, 0, 0], [0x69], [0xFF, 0xFF],
        ]
    ) { bytes in try outcome(bytes, .zstd) }

    @Test("No mutated Brotli ends the process, or depends on its pieces")
    func survivesBrotli() async {
        let report = await Self.brotli.supervise {
            await #expect(processExitsWith: .success) { await CodingMutationTests.brotli.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated Zstandard ends the process, or depends on its pieces")
    func survivesZstandard() async {
        let report = await Self.zstandard.supervise {
            await #expect(processExitsWith: .success) { await CodingMutationTests.zstandard.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
#endif
