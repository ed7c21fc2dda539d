import SternaSerialization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Content codings of files")
struct ContentDecodingRuleTests {
    @Test(
        "The coding that was applied first is the file's own if the name says so",
        arguments: [
            ([.gzip], nil, []), ([.gzip], "a.csv", []), ([.gzip], "a", []), ([.gzip], "", []), ([.gzip], "gz", []),
            ([.gzip], ".gz", []), ([.gzip], "a.gz.txt", []), ([.gzip], "agz", []), ([.gzip], "a.", []),
            ([.gzip], "a.gz", [.gzip]), ([.gzip], "a.csv.gz", [.gzip]), ([.gzip], "a.tar.gz", [.gzip]),
            ([.gzip], "a.tgz", [.gzip]), ([.gzip], "A.TGZ", [.gzip]), ([.gzip], "a.svgz", [.gzip]),
            ([.gzip], "a.tar (2).gz", [.gzip]), ([.gzip, .gzip], "a.gz", [.gzip]), ([.gzip, .gzip], "a.txt", []),
            ([.gzip, .deflate], "a.gz", [.gzip]), ([.deflate], "a.gz", []), ([.deflate, .gzip], "a.gz", []),
            ([], "a.gz", []),
        ] as [([ContentCoding], String?, [ContentCoding])])
    func own(codings: [ContentCoding], name: String?, expected: [ContentCoding]) {
        expectEqual(Array(ContentDecodingRule.ownCodings(codings, ofFileNamed: name)), expected)
    }

    #if Brotli && Zstd
    @Test(
        "The endings of each coding are of one list",
        arguments: [
            ([.brotli], "app.js.br", [.brotli]), ([.brotli], "app.js", []), ([.brotli], "a.gz", []),
            ([.brotli], ".br", []),
            ([.zstd], "a.tar.zst", [.zstd]), ([.zstd], "A.TZST", [.zstd]), ([.zstd], "a.tar", []),
            ([.gzip], "a.zst", []),
            ([.zstd, .brotli], "a.zst", [.zstd]), ([.brotli, .zstd], "a.zst", []),
        ] as [([ContentCoding], String?, [ContentCoding])])
    func endings(codings: [ContentCoding], name: String?, expected: [ContentCoding]) {
        expectEqual(Array(ContentDecodingRule.ownCodings(codings, ofFileNamed: name)), expected)
    }
    #endif
}
