import NIOCore
import SternaPlatform
import Testing

@testable import SternaCore
@testable import SternaSerialization
@testable import SternaTestSupport

/// Every row of percent-encoding.json for every character set, as a query of an https URL has it (URL Standard, 1.3,
/// percent-encode after encoding, with the special-query percent-encode set). No row is excepted.
@Suite(.enabled(if: PercentEncodingData.isThere, "Set STERNA_CONFORMANCE to the folder of the conformance data."))
struct PercentEncodingConformanceTests {
    @Test func everyRow() throws {
        var count = 0
        for row in try PercentEncodingData.rows() {
            for (label, wanted) in row.output {
                let encoding = try #require(TextEncoding(label: label), "\(label)")
                expectEqual(query(row.input, encoding), wanted, "\(row.input.debugDescription) in \(label)")
                count += 1
            }
        }
        #expect(count >= 16)
    }

    // The percent sign is kept by the set, so that the replacement can be percent-encoded beforehand, as it must be: an
    // ampersand of the text itself stays one.
    private func query(_ text: String, _ encoding: TextEncoding) -> String? {
        let bytes = encoding.encode(text) { "%26%23\($0.value)%3B" }
        return bytes.map { bytes in
            var output: [UInt8] = []
            for byte in bytes { PercentCoding.append(byte, keeping: .query, to: &output) }
            return String(decoding: output, as: UTF8.self)
        }
    }
}

/// The web-platform-tests data: in the folder STERNA_CONFORMANCE names, else in one beside the package.
private enum PercentEncodingData {
    struct Row: Decodable {
        var input: String
        var output: [String: String]
    }

    static var path: String {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let folder = ProcessInfo.processInfo.environment["STERNA_CONFORMANCE"] ?? root + "/../shared/conformance"
        return folder + "/url/percent-encoding.json"
    }

    static var isThere: Bool { FileManager.default.fileExists(atPath: path) }

    static func rows() throws -> [Row] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        return try JSONDecoder().decode([RowOrComment].self, from: data).compactMap(\.row)
    }

    private struct RowOrComment: Decodable {
        var row: Row?

        init(from decoder: any Decoder) throws {
            if (try? decoder.singleValueContainer().decode(String.self)) == nil { row = try Row(from: decoder) }
        }
    }
}
