import MutationKit
import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Mutations: property lists")
struct PropertyListMutationTests {
    private static let values: [PropertyList] = [
        [
            "name": "Ada", "age": 36, "ratio": 0.5, "isOpen": true, "tags": ["a", "é", ["b": -1]],
            "big": .unsigned(.max), "least": .integer(.min), "made": .date(.init(timeIntervalSinceReferenceDate: 5e8)),
            "key": .data(.init([1, 2, 3, 250])),
        ],
        [], [[[[]]]], .real(.nan), .real(-.infinity), 300, 70_000, 5_000_000_000, "\u{1F600}", ["a": "a"],
        .string(String(repeating: "long", count: 20)), .array((0..<20).map { .integer($0) }),
    ]

    private static func seeds(_ format: PropertyList.Format) -> [[UInt8]] {
        values.compactMap { try? $0.serialized(format) }
    }

    static let xml = MutatedReader(
        "PropertyListXML", seeds: seeds(.xml),
        tokens: [
            "<dict>", "</dict>", "<array>", "</array>", "<key>", "</key>", "<integer>", "</integer>", "<real>", "nan",
            "inf",
            "<date>2020-01-02T03:04:05Z</date>", "<data>", "<true/>", "<string/>", "<!--", "-->", "<![CDATA[", "]]>",
            "&#",
            "&amp;", "0x", "<?xml", "?>", "<!DOCTYPE", ">", "<", "-", "+", "\"",
        ].map { Array($0.utf8) }, execute: { try execute($0, .xml) })

    static let binary = MutatedReader(
        "PropertyListBinary", seeds: seeds(.binary),
        tokens: [
            Array("bplist00".utf8), [0x10], [0x13], [0x14], [0x22], [0x23], [0x33], [0x4F, 0x10], [0x4F, 0x13],
            [0x5F, 0x13],
            [0x6F, 0x13], [0xA1, 0], [0xAF, 0x13], [0xD1, 0, 1], [0xDF, 0x13], [0xFF], [0x80],
        ], execute: { try execute($0, .binary) })

    private static func execute(_ bytes: [UInt8], _ format: PropertyList.Format) throws -> MutationOutcome {
        guard let list = try? PropertyList(parsing: bytes) else { return .refused }
        // The binary form holds text and dates that XML does not, and dates in XML have whole seconds.
        for other in [format, .binary] {
            guard let written = try? list.serialized(other) else { continue }
            let again = try PropertyList(parsing: written)
            guard again == list else { throw MutationFailure("Written as \(other) and read again it differs.") }
            guard again.hashValue == list.hashValue else { throw MutationFailure("Equal, but not by hash.") }
        }
        if let text = try? list.serialized(.xml) { _ = try PropertyList(parsing: text) }
        _ = list.description
        return .accepted
    }

    @Test("No mutated list in XML ends the process, and what is read is written alike")
    func survivesXML() async {
        let report = await Self.xml.supervise {
            await #expect(processExitsWith: .success) { await PropertyListMutationTests.xml.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated list in the binary form ends the process, and what is read is written alike")
    func survivesBinary() async {
        let report = await Self.binary.supervise {
            await #expect(processExitsWith: .success) { await PropertyListMutationTests.binary.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
