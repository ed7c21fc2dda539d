import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite struct ItemParserTests {
    @Test(arguments: [
        ("q==swift nio", Item.query(name: "q", value: "swift nio")),
        ("q==", .query(name: "q", value: "")),
        ("q==a=b", .query(name: "q", value: "a=b")),
        ("name=Ada", .field(name: "name", value: .text("Ada"))),
        ("name=", .field(name: "name", value: .text(""))),
        ("name=a:b", .field(name: "name", value: .text("a:b"))),
        ("name=\\x", .field(name: "name", value: .text("\\x"))),
        ("n:=1.50", .field(name: "n", value: .json("1.50"))),
        ("n:={\"a\":\"=\"}", .field(name: "n", value: .json("{\"a\":\"=\"}"))),
        ("text=@notes.txt", .field(name: "text", value: .textFile("notes.txt"))),
        ("tree:=@a=b.json", .field(name: "tree", value: .jsonFile("a=b.json"))),
        ("Accept:text/csv", .header(name: "Accept", value: "text/csv")),
        ("Accept: text/csv", .header(name: "Accept", value: "text/csv")),
        ("X-Time:10:30", .header(name: "X-Time", value: "10:30")),
        ("X:a=b", .header(name: "X", value: "a=b")),
        ("User-Agent:", .removedHeader(name: "User-Agent")),
        ("X-Empty;", .header(name: "X-Empty", value: "")),
        ("@body.bin", .body(file: "body.bin")),
        ("@a=b:c", .body(file: "a=b:c")),
        ("a\\:b=1", .field(name: "a:b", value: .text("1"))),
        ("a\\=b:1", .header(name: "a=b", value: "1")),
        ("\\@a=1", .field(name: "@a", value: .text("1"))),
        ("a\\\\=1", .field(name: "a\\", value: .text("1"))),
        ("a\\b=1", .field(name: "a\\b", value: .text("1"))),
        ("a[b][]=1", .field(name: "a[b][]", value: .text("1"))),
        ("größe=1", .field(name: "größe", value: .text("1"))),
    ])
    func reads(_ argument: String, _ item: Item) throws {
        try expectEqual(ItemParser.parse(argument), item)
    }

    @Test(arguments: ["", "abc", "a\\=b", "=1", "==1", ":=1", ":x", "@", "a=@", "a:=@", ";", "a\\"])
    func refuses(_ argument: String) {
        #expect(throws: UsageError.self) { try ItemParser.parse(argument) }
    }
}
