import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("WebSocket: writer")
struct WebSocketWriterTests {
    @Test("A server's frames are RFC 6455's examples (5.7)")
    func examples() {
        var writer = WebSocketWriter(.server)
        expectEqual(writer.frame(.text, Bytes(text: "Hello")).array, [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        expectEqual(writer.frame(.text, Bytes(text: "Hel"), isLast: false).array, [0x01, 0x03, 0x48, 0x65, 0x6C])
        expectEqual(writer.frame(.text, Bytes(text: "lo"), isFirst: false).array, [0x80, 0x02, 0x6C, 0x6F])
        expectEqual(writer.ping(Bytes(text: "Hello")).array, [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        expectEqual(writer.pong(Bytes()).array, [0x8A, 0x00])
        expectEqual(writer.frame(.binary, Bytes(bytes: noise(256))).array, [0x82, 0x7E, 0x01, 0x00] + noise(256))
        expectEqual(
            writer.frame(.binary, Bytes(bytes: noise(65_536))).array,
            [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + noise(65_536))
    }

    @Test("What one side writes the other reads, at each length", arguments: [WebSocketSide.client, .server])
    func roundTrips(side: WebSocketSide) {
        var writer = WebSocketWriter(side)
        let peer: WebSocketSide = side == .client ? .server : .client
        for length in Array(0...300) + [65_534, 65_535, 65_536, 65_537, 200_000] {
            let bytes = noise(length, seed: UInt64(length))
            let frame = writer.frame(.binary, Bytes(bytes: bytes))
            let reading = WebSocketTranscript([frame.array], by: WebSocketReader(peer))
            #expect(reading.matches(WebSocketTranscript([.binary(bytes)])), "\(length) bytes")
        }
    }

    @Test("A client's frames have masks that differ")
    func masks() {
        var writer = WebSocketWriter(.client)
        var masks: Set<[UInt8]> = []
        for number in 0..<1_000 {
            let frame =
                switch number % 4 {
                case 0: writer.ping(Bytes(text: "abcd")).array
                case 1: writer.close(1000, reason: "ab").array
                default: writer.frame(.text, Bytes(text: "abcd")).array
                }
            expectEqual(frame[1], 0x84)
            masks.insert(Array(frame[2..<6]))
        }
        // Two of a thousand random masks are the same once in 8,600 runs; three such pairs do not happen.
        #expect(masks.count > 997)
        #expect((0..<4).allSatisfy { position in Set(masks.map { $0[position] }).count > 100 })
    }

    @Test("Each alignment is masked alike")
    func alignments() {
        let mask = WebSocketMask(0x3D21_FA37)
        let keys: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        for count in 0..<100 {
            for start in 0..<4 {
                let source = noise(count + start)
                var moved = mask
                moved.advance(by: start)
                var target = [UInt8](repeating: 0, count: count)
                source.withUnsafeBytes { source in
                    target.withUnsafeMutableBytes { target in
                        guard let base = target.baseAddress else { return }
                        moved.apply(UnsafeRawBufferPointer(rebasing: source[start...]), to: base)
                    }
                }
                expectEqual(target, source.indices.dropFirst(start).map { source[$0] ^ keys[$0 % 4] })
                target.withUnsafeMutableBytes { target in
                    guard let base = target.baseAddress else { return }
                    moved.apply(UnsafeRawBufferPointer(target), to: base)
                }
                expectEqual(target, Array(source[start...]))
            }
        }
    }

    @Test("Of a ping's or a pong's payload 125 bytes are sent")
    func longControlFrames() {
        let writer = WebSocketWriter(.server)
        expectEqual(writer.ping(Bytes(bytes: noise(126))).array, [0x89, 125] + noise(126).prefix(125))
        expectEqual(writer.pong(Bytes(bytes: noise(300))).array, [0x8A, 125] + noise(300).prefix(125))
    }

    @Test(
        "A close frame has a code that may be sent, and a reason that fits",
        arguments: [
            (nil, "reason", []), (1000, "", [0x03, 0xE8]), (4999, "a", [0x13, 0x87, 0x61]), (1005, "a", []),
            (1006, "", []),
            (1015, "", []), (999, "", []), (5000, "", []), (1004, "", []),
        ] as [(UInt16?, String, [UInt8])])
    func closes(code: UInt16?, reason: String, payload: [UInt8]) {
        expectEqual(
            WebSocketWriter(.server).close(code, reason: reason).array, [0x88, UInt8(payload.count)] + payload)
    }

    @Test("A long reason is cut at the end of a character", arguments: ["a", "ä", "€", "\u{1F426}"])
    func longReasons(character: String) {
        for count in 118...126 {
            let reason = String(repeating: "x", count: count) + character + character
            let frame = WebSocketWriter(.server).close(1001, reason: reason).array
            var expected = ""
            for scalar in reason.unicodeScalars {
                guard expected.utf8.count + String(scalar).utf8.count <= 123 else { break }
                expected.unicodeScalars.append(scalar)
            }
            expectEqual(Array(frame[4...]), Array(expected.utf8))
            expectEqual(frame.count, expected.utf8.count + 4)
        }
    }

    @Test(
        "A key is 16 bytes in base64",
        arguments: [
            ("dGhlIHNhbXBsZSBub25jZQ==", true), ("AAAAAAAAAAAAAAAAAAAAAA==", true), ("", false),
            ("dGhlIHNhbXBsZSBub25jZQ=", false), ("dGhlIHNhbXBsZSBub25jZQ", false), ("dGhlIHNhbXBsZSBub25jZQ===", false),
            ("dGhlIHNhbXBsZSBub25jZWE=", false), ("dGhlIHNhbXBsZSBub25jZ===", false),
            ("dGhlIHNhbXBsZSBub25jZ-==", false),
            (" GhlIHNhbXBsZSBub25jZQ==", false), ("dGhlIHNhbXBsZSBub25jZä==", false),
        ])
    func keys(key: String, isValid: Bool) { expectEqual(WebSocketHandshake.isValidKey(key), isValid) }
}
