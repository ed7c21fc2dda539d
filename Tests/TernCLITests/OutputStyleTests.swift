import Sterna
import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite struct OutputStyleTests {
    private static let xterm = Environment(term: "xterm")

    @Test(arguments: [
        (true, OutputStyle.Parts([.responseHead, .responseBody]), true, true), (false, .responseBody, false, false),
    ])
    func fitsWhereItGoes(_ isTerminal: Bool, _ parts: OutputStyle.Parts, _ coloured: Bool, _ indented: Bool) {
        let style = OutputStyle.resolve(.init(), isTerminal: isTerminal, environment: Self.xterm)
        expectEqual(style.parts, parts)
        expectEqual(style.isColoured, coloured)
        expectEqual(style.isIndented, indented)
        expectEqual(style.isRaw, !isTerminal)
    }

    @Test(arguments: [
        (Environment(term: "xterm"), true), (Environment(term: "dumb"), false),
        (Environment(noColor: "1", term: "xterm"), false), (Environment(noColor: "", term: "xterm"), true),
    ])
    func heedsTheEnvironment(_ environment: Environment, _ coloured: Bool) {
        expectEqual(OutputStyle.resolve(.init(), isTerminal: true, environment: environment).isColoured, coloured)
        let forced = OutputStyle.resolve(.init(pretty: .all), isTerminal: false, environment: environment)
        #expect(forced.isColoured)
        let never = OutputStyle.resolve(.init(pretty: .all, noColor: true), isTerminal: true, environment: environment)
        #expect(!never.isColoured)
    }

    @Test func letsPrintDecide() {
        let wish = OutputStyle.Wish(parts: .requestHead, isVerbose: true)
        expectEqual(OutputStyle.resolve(wish, isTerminal: true, environment: Self.xterm).parts, .requestHead)
        let verbose = OutputStyle.resolve(.init(isVerbose: true), isTerminal: false, environment: Self.xterm)
        expectEqual(verbose.parts, .all)
        let saved = OutputStyle.resolve(.init(savesBody: true), isTerminal: true, environment: Self.xterm)
        expectEqual(saved.parts, [])
    }

    @Test(
        arguments: [
            ("HBhb", .all), ("", []), ("hh", .responseHead), ("x", nil), ("Hx", nil),
        ] as [(String, OutputStyle.Parts?)])
    func readsLetters(_ letters: String, _ parts: OutputStyle.Parts?) {
        expectEqual(OutputStyle.Parts.parse(letters), parts)
    }

    @Test(
        arguments: [
            ("application/json", "{}", BodyKind.json), ("application/problem+json; charset=utf-8", "{}", .json),
            ("text/plain", "x", .text), ("application/json", "\0", .binary), ("text/html", "a\0", .binary),
            (nil, "text", .text), (nil, "caf\u{E9}", .text), ("image/svg+xml", "<svg/>", .xml),
            ("text/xml", "<a/>", .xml), ("text/plain; charset=utf-16le", "a\0", .text),
            ("application/x; charset=shift_jis", "\u{82}", .text),
        ] as [(String?, String, BodyKind)])
    func judgesBodies(_ type: String?, _ start: String, _ kind: BodyKind) {
        expectEqual(BodyKind.of(type.flatMap(MediaType.init), start: Bytes(text: start)), kind)
    }

    @Test func takesBrokenTextForBinary() {
        expectEqual(BodyKind.of(nil, start: Bytes(copying: [0x61, 0xFF, 0x62])), .binary)
        expectEqual(BodyKind.of(nil, start: Bytes(copying: [0x61, 0xE2, 0x82])), .text)
    }
}
