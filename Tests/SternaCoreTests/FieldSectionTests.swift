import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("A received field section")
struct FieldSectionTests {
    static let wire =
        "Content-Type: text/html\r\nset-cookie:a=1\r\nX-Empty:\r\nX-Pad: \t padded \t\r\nSET-COOKIE: b=2\r\n"
        + "Cookie: c=3\r\ncookie: d=4\r\nX-Colons: a:b:c\r\nVia: one\r\nVia: two\r\n"

    private let section = FieldSection(checkedLines: Bytes(string: FieldSectionTests.wire))

    @Test("A field is found in any case, without the white space around its value")
    func lookup() throws {
        expectEqual(section[.contentType], "text/html")
        expectEqual(section[try #require(.init("x-EMPTY"))], "")
        expectEqual(section[try #require(.init("X-Pad"))], "padded")
        expectEqual(section[try #require(.init("X-Colons"))], "a:b:c")
        expectNil(section[.location])
        #expect(section.contains(.setCookie))
        #expect(!section.contains(.location))
    }

    @Test("Lines of one name are joined, those of Cookie by semicolons")
    func joined() {
        expectEqual(section[.via], "one, two")
        expectEqual(section[.cookie], "c=3; d=4")
        expectEqual(section[values: .setCookie], ["a=1", "b=2"])
        expectEqual(section[values: .location], [])
    }

    @Test("Bytes and typed fields say the same")
    func agreement() {
        let typed = FieldSection(section.fields)
        for name in [HTTPField.Name.contentType, .setCookie, .cookie, .via, .location] {
            expectEqual(typed[name], section[name])
            expectEqual(typed[values: name], section[values: name])
            expectEqual(typed.contains(name), section.contains(name))
        }
        expectEqual(section.fields.count, 10)
        expectEqual(section.fields.map(\.name.rawName).prefix(2), ["Content-Type", "set-cookie"])
    }

    @Test("A name is not found where it only begins, ends, or is another's value")
    func names() throws {
        let section = FieldSection(
            checkedLines: Bytes(string: "Vi: 1\r\nVias: 2\r\nX-Via: 3\r\nX: via: 4\r\nvIA:5\r\nVia \r\nVia: 6\r\n"))
        expectEqual(section[values: .via], ["5", "6"])
        expectEqual(section[try #require(.init("X"))], "via: 4")
        expectNil(section[.server])
    }

    @Test("The bytes of lines are those that were received")
    func bytes() {
        var lines = Bytes()
        lines.writeBytes(Array("set-cookie:a=1\r\nServer:x\r\nSet-Cookie:".utf8) + [0x62, 0x3D, 0xE9])
        lines.writeBytes(Array("\r\n".utf8))
        let section = FieldSection(checkedLines: lines)
        expectEqual(section.bytes(of: .setCookie), [Array("a=1".utf8), [0x62, 0x3D, 0xE9]])
        expectEqual(FieldSection(section.fields).bytes(of: .setCookie), section.bytes(of: .setCookie))
        #expect(section.bytes(of: .location).isEmpty)
    }

    @Test("A reference keeps its bytes, UTF-8 or not")
    func references() {
        let cases: [([UInt8], String)] = [
            ([0x2F, 0xC3, 0xA9], "/é"), ([0x2F, 0xE9, 0x78], "/%E9x"), ([0xC3, 0xA9, 0xFF], "%C3%A9%FF"), ([], ""),
        ]
        for (value, expected) in cases {
            let section = FieldSection(
                checkedLines: Bytes(bytes: Array("Location: ".utf8) + value + Array("\r\nlocation:/x\r\n".utf8)))
            expectEqual(section.references(.location), [expected, "/x"])
            expectEqual(FieldSection(section.fields).references(.location), [expected, "/x"])
            #expect(section.references(.server).isEmpty)
        }
    }

    @Test(
        "Bytes outside ASCII are the same either way", arguments: [[0xC3, 0xA9], [0xE9], [0xFF, 0x41]] as [[UInt8]])
    func bytes(value: [UInt8]) {
        let section = FieldSection(checkedLines: Bytes(bytes: Array("Server: ".utf8) + value + Array("\r\n".utf8)))
        expectEqual(section[.server], String(decoding: value, as: UTF8.self))
        expectEqual(section.fields[.server], section[.server])
    }

    @Test("Lines may end with LF alone")
    func bareLineFeeds() {
        let section = FieldSection(checkedLines: Bytes(string: "Server: a\nVia: one\r\nVia:two\n"))
        expectEqual(section[.server], "a")
        expectEqual(section[.via], "one, two")
        expectEqual(section.fields.map { "\($0.name.rawName)=\($0.value)" }, ["Server=a", "Via=one", "Via=two"])
    }

    @Test("Setting the list replaces the bytes")
    func setting() {
        var section = section
        section.fields[.contentType] = nil
        #expect(!section.contains(.contentType))
        expectEqual(section[.via], "one, two")
    }

    @Test(
        "Bytes that are no lines give no fields and do not trap",
        arguments: ["", "abc", ":", "a:b", "\r\n", "a\r\n", "a:\r"])
    func stray(text: String) {
        let section = FieldSection(checkedLines: Bytes(string: text))
        #expect(section.fields.count <= 1)
        expectNil(section[.via])
    }
}
