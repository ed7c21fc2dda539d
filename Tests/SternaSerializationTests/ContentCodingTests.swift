import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Content-Encoding fields")
struct ContentCodingTests {
    static let known: [(String, [ContentCoding])] = [
        ("", []), ("identity", []), ("gzip", [.gzip]), ("GZip", [.gzip]), ("x-gzip", [.gzip]), ("deflate", [.deflate]),
        (" gzip\t", [.gzip]), ("deflate, gzip", [.deflate, .gzip]), ("gzip,identity,gzip", [.gzip, .gzip]),
        (",gzip,", [.gzip]),
        ("gzip,gzip,gzip,gzip", [.gzip, .gzip, .gzip, .gzip]),
    ]

    @Test("Codings in the order in which they were applied", arguments: known)
    func parse(field: String, codings: [ContentCoding]) throws {
        try expectEqual(ContentCoding.parse(field), codings)
    }

    @Test(
        "An unknown one, or more than four, is an error",
        arguments: [
            "br", "zstd", "gzip, br", "gzip;q=1", "g zip",
            "gzip,gzip,gzip,gzip,gzip", "compress",
        ])
    func refuse(field: String) {
        let error = #expect(throws: SternaError.self) { try ContentCoding.parse(field) }
        expectEqual(error?.kind, .contentCodingFailed)
        expectEqual(error?.phase, .decode)
    }
}
