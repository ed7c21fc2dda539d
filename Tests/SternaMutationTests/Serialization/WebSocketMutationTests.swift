import MutationKit
import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Mutations: WebSocket")
struct WebSocketMutationTests {
    private static let tokens: [[UInt8]] = [
        [0x81], [0x01], [0x82], [0x02], [0x80], [0x00], [0xC1], [0x41], [0x88], [0x89, 0], [0x8A], [0x88, 2, 3, 0xE8],
        [126, 0, 126],
        [127, 0, 0, 0, 0, 0, 1, 0, 0], [127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0xE2, 0x82, 0xAC],
        [0xF0, 0x9F],
        [0, 0, 0xFF, 0xFF], [0, 0, 0, 0xFF, 0xFF], [0x01, 0, 0, 0xFF, 0xFF], [0x03, 0], [0xF2, 0x00, 0x11, 0x00, 0x00],
    ]

    /// The first byte chooses the side, the second whether the limits are small; the rest are frames.
    static let plain = MutatedReader(
        "WebSocket",
        seeds: [
            [0, 0] + frames(nil), [0, 1] + WebSocketFrame(1, "€ and more").bytes + WebSocketFrame(9, "ping").bytes,
            [1, 0] + frames([0x37, 0xFA, 0x21, 0x3D]),
            [1, 1] + WebSocketFrame(1, "€ and more", mask: [1, 2, 3, 4]).bytes,
            [0, 0] + WebSocketFrame(2, noise(126)).bytes + WebSocketFrame(closing: 1000, Array("går".utf8)).bytes,
        ], tokens: tokens
    ) { bytes in try read(bytes, deflate: nil) }

    static let compressed = MutatedReader(
        "WebSocketDeflate",
        seeds: [true, false].flatMap { forgets in
            [UInt8(0), 1].map { limits in
                let deflate = agreement(forgets)
                var writer = WebSocketWriter(.server, deflate: deflate)
                let content = Bytes(text: String(repeating: "tern €\u{1F426} ", count: limits == 0 ? 40 : 6))
                return [limits == 0 ? 0 : 2, forgets ? 2 : 3] + writer.frame(.text, content).array
                    + writer.frame(.text, content).array
                    + writer.frame(.binary, content, isLast: false).array + writer.ping(Bytes(text: "p")).array
                    + writer.frame(.binary, Bytes(text: "x"), isFirst: false).array
            }
        } + [
            [0, 0] + WebSocketFrame(1, [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], reserved: 4).bytes
                + WebSocketFrame(
                    1, [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00], reserved: 4
                ).bytes,
            [0, 0] + WebSocketFrame(2, Zlib.deflate([UInt8](repeating: 0, count: 150_000), .raw), reserved: 4).bytes,
        ], tokens: tokens, acceptsSeeds: false
    ) { bytes in try read(bytes, deflate: agreement(bytes.dropFirst().first ?? 0 & 1 == 0)) }

    static let negotiation = MutatedReader(
        "WebSocketExtensions",
        seeds: [
            "permessage-deflate; client_no_context_takeover; client_max_window_bits",
            "foo; a=\"b\", permessage-deflate; server_max_window_bits=10",
            "permessage-deflate;server_no_context_takeover",
        ],
        tokens: [
            "permessage-deflate", ";", ",", "=", "\"", "\\", " ", "\t", "client_max_window_bits",
            "server_max_window_bits=",
            "server_no_context_takeover", "client_no_context_takeover", "8", "15",
        ]
    ) { bytes in
        let value = String(decoding: bytes, as: UTF8.self)
        _ = try? WebSocketDeflate.accepted(value, offered: WebSocketDeflate())
        guard let (agreed, answer) = WebSocketDeflate.chosen(from: value) else { return .refused }
        guard (9...15).contains(agreed.serverWindowBits) else { throw MutationFailure("A window that zlib has not.") }
        var offered = WebSocketDeflate()
        offered.clientForgets = false
        guard let accepted = try? WebSocketDeflate.accepted(answer, offered: offered), accepted == agreed else {
            throw MutationFailure("The answer \(answer) is not the agreement.")
        }
        return .accepted
    }

    private static func frames(_ mask: [UInt8]?) -> [UInt8] {
        let frames = [
            WebSocketFrame(1, "Hello", mask: mask), WebSocketFrame(1, "ä", isFinal: false, mask: mask),
            WebSocketFrame(9, "ping", mask: mask), WebSocketFrame(0, "€", mask: mask),
            WebSocketFrame(2, mask: mask), WebSocketFrame(10, mask: mask),
        ]
        return frames.flatMap(\.bytes)
    }

    private static func agreement(_ forgets: Bool) -> WebSocketDeflate {
        var deflate = WebSocketDeflate()
        (deflate.clientForgets, deflate.serverForgets) = (forgets, forgets)
        return deflate
    }

    private static func read(_ bytes: [UInt8], deflate: WebSocketDeflate?) throws -> MutationOutcome {
        guard bytes.count >= 2 else { return .refused }
        var limits = WebSocketLimits()
        limits.controlFramePeriod = .seconds(1_000_000)
        if bytes[0] & 2 != 0 || bytes[1] & 1 != 0 {
            (limits.frameBytes, limits.messageBytes, limits.fragmentCount, limits.controlFrameCount) = (200, 300, 3, 3)
        }
        let reader = WebSocketReader(bytes[0] & 1 == 0 ? .client : .server, limits: limits, deflate: deflate)
        let frames = Array(bytes.dropFirst(2))
        let whole = WebSocketTranscript(frames, pieceSize: frames.count, by: reader)
        // Many pieces of a long input would take the time of many inputs.
        for size in frames.count <= 160 ? [1, 3] : [frames.count / 40] {
            let reading = WebSocketTranscript(frames, pieceSize: size, by: reader)
            guard reading.matches(whole), reading.fault == whole.fault else {
                throw MutationFailure("In pieces of \(size): \(reading), and in one: \(whole)")
            }
        }
        if let limit = limits.messageBytes, whole.items.contains(where: { size(of: $0) > limit }) {
            throw MutationFailure("A message is longer than the limit.")
        }
        return whole.fault == nil ? .accepted : .refused
    }

    private static func size(of item: WebSocketTranscript.Item) -> Int {
        switch item {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        default: 0
        }
    }

    @Test("No mutated frames end the process, and what they give does not depend on the pieces")
    func survives() async {
        let report = await Self.plain.supervise {
            await #expect(processExitsWith: .success) { await WebSocketMutationTests.plain.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated compressed frames end the process, and what they give does not depend on the pieces")
    func compressedSurvives() async {
        let report = await Self.compressed.supervise {
            await #expect(processExitsWith: .success) { await WebSocketMutationTests.compressed.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated offer of extensions ends the process, and both sides agree on the answer")
    func negotiationSurvives() async {
        let report = await Self.negotiation.supervise {
            await #expect(processExitsWith: .success) { await WebSocketMutationTests.negotiation.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
