#if Foundation
import FoundationEssentials
import Sterna
import SternaCore
import Testing

@Suite struct FoundationHostEncoderTests {
    @Test(arguments: [
        ("b\u{FC}cher.example", "xn--bcher-kva.example"),
        ("B\u{DC}CHER.Example", "xn--bcher-kva.example"),
        ("bu\u{308}cher.example", "xn--bcher-kva.example"),
        ("fa\u{DF}.de", "xn--fa-hia.de"),
        ("\u{3C2}.gr", "xn--3xa.gr"),
        ("\u{2603}.net", "xn--n3h.net"),
        ("a\u{3002}b", "a.b"),
        ("\u{FF47}\u{FF4F}.com", "go.com"),
        ("a\u{AD}b.com", "ab.com"),
        ("xn--bcher-kva.\u{FC}", "xn--bcher-kva.xn--tda"),
        ("\u{65E5}\u{672C}\u{8A9E}.jp", "xn--wgv71a119e.jp"),
        ("\u{FC}_a.com", "xn--_a-wka.com"),
    ])
    func names(host: String, ascii: String) throws {
        #expect(try FoundationHostEncoder().encode(host) == ascii)
        #expect(try HTTPURL("https://\(host)/", hostEncoder: FoundationHostEncoder()).host == ascii)
    }

    @Test func addresses() throws {
        let url = try HTTPURL("http://\u{FF10}\u{FF38}\u{FF43}\u{FF10}\u{3002}1/", hostEncoder: FoundationHostEncoder())
        #expect(url.host == "192.0.0.1")
        #expect(url.hostKind == .ipv4)
    }

    @Test(arguments: [
        "xn--\u{FC}", "xn--zz-zzzzzz.\u{FC}", "\u{300}a.com", "a\u{200D}b", "\u{AD}", "\u{E000}.com", "a\u{FFFD}b",
        "\u{FDFA}.de",
        "1\u{5D0}.com", "\u{FC}\u{FF0F}a", "\u{FC}\u{FF20}a", "\u{FC}\u{FF1A}80", "\u{FC}\u{FF03}", "\u{FC}/a",
        "\u{FC}@a", "\u{FC}:80",
        "\u{FC}#", "\u{FC}?", "\u{FC}%41", "\u{FC} a", "\u{FC}\u{0}", "\u{FC}]", "[\u{FC}", "[\u{FC}]", "\u{FF05}41",
        "\u{FC}\\", "\u{FC}^",
    ])
    func refused(host: String) {
        // Percent-encoded, so that delimiters reach the encoder.
        let encoded = host.utf8.map { "%" + String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
        #expect(throws: HTTPURL.ParseError.self) {
            try HTTPURL("https://\(encoded)/", hostEncoder: FoundationHostEncoder())
        }
    }
}

@Suite(.enabled(if: HostConformanceData.isThere, "Set STERNA_CONFORMANCE to the folder of the conformance data."))
struct FoundationHostEncoderConformanceTests {
    /// What the URL Standard accepts and Foundation refuses: DNS has no such names.
    static let refusedByFoundation: [String: String] = [
        "a\u{2020}--": "the label ends in a hyphen",
        "-\u{2020}": "the label begins with a hyphen",
        "-x.\u{DF}": "a label begins with a hyphen",
        "x-.\u{DF}": "a label ends in a hyphen",
        "x..\u{DF}": "a label is empty",
        "ab--c.\u{DF}": "a label has hyphens in third and fourth place",
    ]

    @Test func toASCII() throws {
        var count = 0
        for row in try HostConformanceData.rows("toascii.json") {
            let host = try? HTTPURL("https://\(row.input)/x", hostEncoder: FoundationHostEncoder()).host
            let labels = (row.output ?? "").split(separator: ".")
            // And the three with labels over 63 bytes or a name over 253.
            let tooLong = labels.contains { $0.utf8.count > 63 } || (row.output ?? "").utf8.count > 253
            let refused = !row.input.utf8.allSatisfy { $0 < 0x80 } && tooLong
            #expect(host == (refused || Self.refusedByFoundation[row.input] != nil ? nil : row.output), "\(row.input)")
            count += 1
        }
        #expect(count >= 87)
    }

    @Test func urlTestData() throws {
        var count = 0
        for row in try HostConformanceData.rows("urltestdata.json") {
            let base = row.base.flatMap { try? HTTPURL($0) }
            do {
                _ = try HTTPURL(row.input, relativeTo: base, hostEncoder: ASCIIHostEncoder())
            } catch HTTPURL.ParseError.hostNotEncodable {
                let url = try? HTTPURL(row.input, relativeTo: base, hostEncoder: FoundationHostEncoder())
                #expect(url?.href == row.href, "\(row.input)")
                count += 1
            } catch {
                continue
            }
        }
        #expect(count >= 22)
    }
}

/// The web-platform-tests data: in the folder STERNA_CONFORMANCE names, else in one beside the package.
private enum HostConformanceData {
    struct Row: Decodable {
        var input: String
        var base: String?
        var href: String?
        var output: String?
    }

    static var folder: String {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        return ProcessInfo.processInfo.environment["STERNA_CONFORMANCE"] ?? root + "/../shared/conformance"
    }

    static var isThere: Bool { FileManager.default.fileExists(atPath: folder + "/url/toascii.json") }

    static func rows(_ name: String) throws -> [Row] {
        guard let data = FileManager.default.contents(atPath: "\(folder)/url/\(name)") else { return [] }
        return try JSONDecoder().decode([RowOrComment].self, from: data).compactMap(\.row)
    }

    private struct RowOrComment: Decodable {
        var row: Row?

        init(from decoder: any Decoder) throws {
            if (try? decoder.singleValueContainer().decode(String.self)) == nil { row = try Row(from: decoder) }
        }
    }
}
#endif
