import HTTPTypes
import MutationKit
import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Mutations: bodies of several parts")
struct MultipartMutationTests {
    static let reader = MutatedReader(
        "Multipart",
        seeds: [
            "--b\r\nA: 1\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--\r\n", "x\r\n--b \r\nA: 1\r\n 2\r\n\r\n--b--",
            "--b\nContent-Length: 3\n\none\n--b--", "----b\r\n\r\n--b\r\n----b--",
        ],
        tokens: [
            "--b", "--b--", "\r\n--b", "\r\n", "\r", "\n", "-", " ", ":", "\r\n\r\n", "Content-Length: ", "\u{0}", "A",
            "9223372036854775807",
        ]
    ) { bytes in
        let whole = read(bytes, pieceSize: max(1, bytes.count))
        for size in [1, 3] where read(bytes, pieceSize: size) != whole {
            throw MutationFailure("Read in pieces of \(size), it has other parts.")
        }
        return whole.last == "end" ? .accepted : .refused
    }

    /// The events as text, runs of bytes joined; the last is the end or the error.
    private static func read(_ bytes: [UInt8], pieceSize: Int) -> [String] {
        var limits = PartLimits()
        (limits.header, limits.fields, limits.body, limits.parts, limits.preamble) = (64, 3, 48, 4, 48)
        guard var parser = MultipartParser(boundary: "--b", limits: limits, usesContentLength: true) else { return [] }
        var events: [String] = []
        var body: [UInt8] = []
        func take() throws(SternaError) {
            while let event = try parser.next() {
                if case .bytes(let bytes) = event {
                    body += bytes.readableBytesView
                    continue
                }
                if !body.isEmpty { events.append("\(body)") }
                body = []
                switch event {
                case .part(let fields): events.append("\(fields.map { "\($0.name): \($0.value)" })")
                case .bytes: break
                case .partEnd: events.append("part end")
                case .end: events.append("end")
                }
            }
        }
        var rest = bytes[...]
        do throws(SternaError) {
            while !rest.isEmpty {
                parser.append(Bytes(bytes: rest.prefix(pieceSize)))
                rest = rest.dropFirst(pieceSize)
                try take()
            }
            try parser.finish()
            try take()
        } catch {
            events.append("\(body) \(error.kind)")
        }
        return events
    }

    @Test("No mutated body ends the process, and its parts do not depend on the pieces")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await MultipartMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
