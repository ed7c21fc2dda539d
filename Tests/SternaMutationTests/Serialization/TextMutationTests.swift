import MutationKit
import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Mutations: text")
struct TextMutationTests {
    private static let encodings = TextEncoding.allCases

    /// The first byte chooses the encoding, the others are the text.
    private static let seeds: [[UInt8]] = encodings.indices.flatMap { index in
        ["Plain text 42", "Käse €é", "日本語テキスト", "Привет", "한국어", "繁體中文"].compactMap { text in
            encodings[index].encode(text).map { [UInt8(truncatingIfNeeded: index)] + $0 }
        }
    }

    static let reader = MutatedReader(
        "Text", seeds: seeds,
        tokens: [
            [0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE], [0x00, 0x00, 0xFE, 0xFF], [0xFF, 0xFE, 0, 0], [0xD8, 0x00],
            [0xDC, 0x00], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x1B, 0x24, 0x42], [0x1B, 0x28, 0x42],
            [0x1B, 0x28, 0x4A], [0x1B, 0x28, 0x49], [0x8F, 0xA2, 0xB7], [0x8E, 0xA1], [0x81, 0x30, 0x81, 0x30],
            [0x84, 0x31, 0xA4, 0x37], [0xFE, 0x39, 0xFE, 0x39], [0x88, 0x62], [0xC0, 0x80], [0x80],
        ]
    ) { bytes in
        guard let first = bytes.first else { return .refused }
        let encoding = encodings[Int(first) % encodings.count]
        guard let text = encoding.decode(Bytes(bytes: bytes.dropFirst())) else { return .refused }
        // Some sets read characters that they do not write.
        if let written = encoding.encode(text), encoding.decode(Bytes(bytes: written)) == nil {
            throw MutationFailure("What \(encoding) writes it does not read.")
        }
        return .accepted
    }

    @Test("No mutated text ends the process, in any encoding")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await TextMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    static let labels = MutatedReader(
        "Labels", seeds: ["utf-8", "iso_8859-1:1987", " Shift_JIS\t", "windows-1252"],
        tokens: ["iso-8859-", "utf-", "windows-", " ", "\u{130}", "_"]
    ) { bytes in
        TextEncoding(label: String(decoding: bytes, as: UTF8.self)) == nil ? .refused : .accepted
    }

    @Test("No mutated label ends the process")
    func survivesLabels() async {
        let report = await Self.labels.supervise {
            await #expect(processExitsWith: .success) { await TextMutationTests.labels.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
