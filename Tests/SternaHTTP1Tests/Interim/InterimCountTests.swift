import HTTPTypes
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("Interim responses against their limit")
struct InterimCountTests {
    private static func fields(_ offsets: String?...) throws -> FieldSection {
        var fields = HTTPFields()
        let name = try #require(HTTPField.Name("Upload-Offset"))
        for offset in offsets.compactMap({ $0 }) { fields.append(HTTPField(name: name, value: offset)) }
        return FieldSection(fields)
    }

    @Test("104s whose offset grows do not count")
    func growing() throws {
        var count = InterimCount(followsProgress: true)
        for offset in 0..<1_000 { #expect(count.admits(104, try Self.fields("\(offset)"), limit: 0)) }
        #expect(!count.admits(104, try Self.fields("999"), limit: 0))
    }

    @Test(
        "Other interim responses count",
        arguments: [
            (104, ["7", "7", "7"]), (104, ["7", "6", "5"]), (104, [nil, nil, nil]), (103, ["1", "2", "3"]),
            (104, ["-1", "x", "1.5"]), (104, ["1234567890123456", "9999999999999999", ""]),
        ] as [(Int, [String?])])
    func others(status: Int, offsets: [String?]) throws {
        var count = InterimCount(followsProgress: true)
        _ = count.admits(104, try Self.fields("7"), limit: 2)
        let admitted = try offsets.map { count.admits(status, try Self.fields($0), limit: 2) }
        expectEqual(admitted, [true, true, false])
    }

    @Test("All count unless the request follows progress, and even then their number is limited")
    func limits() throws {
        var plain = InterimCount()
        #expect(plain.admits(104, try Self.fields("1"), limit: 1))
        #expect(!plain.admits(104, try Self.fields("2"), limit: 1))
        var count = InterimCount(followsProgress: true)
        for offset in 0..<InterimCount.mostConfirmations {
            guard count.admits(104, try Self.fields("\(offset)"), limit: 0) else {
                Issue.record("refused at \(offset)")
                break
            }
        }
        #expect(!count.admits(104, try Self.fields("999999999"), limit: 0))
    }
}
