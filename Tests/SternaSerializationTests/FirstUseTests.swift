import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

/// In a process of its own, in which nothing has been set up.
@Suite("Character sets and hosts before any session")
struct FirstUseTests {
    #if compiler(>=6.2)
    @Test func nothingDependsOnOrder() async {
        await #expect(processExitsWith: .success) {
            #expect((try? HTTPURL("https://bücher.example"))?.host == "xn--bcher-kva.example")
            for encoding in TextEncoding.allCases {
                let bytes = encoding.encode("a") ?? []
                expectEqual(encoding.decode(Bytes(bytes: bytes)), "a", "\(encoding)")
            }
            expectEqual(TextEncoding.big5.decode(Bytes(bytes: [0x8E, 0x69])), "\u{7BB8}")
        }
    }
    #endif
}
