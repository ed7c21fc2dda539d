import SternaCore
import Testing

@testable import SternaTestSupport

@Suite struct URLFuzzTests {
    /// Keeps letters and digits of ASCII and drops the rest: enough of an encoder to get past it.
    private struct Lossy: HostEncoder {
        func encode(_ host: String) throws -> String {
            String(String.UnicodeScalarView(host.unicodeScalars.filter(\.isASCII)))
        }
    }

    @Test(arguments: [nil, "http://h/a/b?c#d", "wss://u:p@[1::2]:9/x/../y"])
    func serialisationIsAFixedPoint(base: String?) throws {
        let base = try base.map { text throws(HTTPURL.ParseError) in try HTTPURL(text) }
        var generator = URLInputGenerator(seed: 2)
        var parsed = 0
        var failed = 0
        for _ in 0..<20_000 {
            let text = generator.mutated()
            guard let url = try? HTTPURL(text, relativeTo: base, hostEncoder: Lossy()) else {
                failed += 1
                continue
            }
            parsed += 1
            check(url, text)
        }
        #expect(parsed > 3_000)
        #expect(failed > 500)
    }

    private func check(_ url: HTTPURL, _ text: String) {
        let href = url.href
        let again = try? HTTPURL(href, hostEncoder: ASCIIHostEncoder())
        var sound = again == url && again?.href == href && again?.hostKind == url.hostKind && again?.port == url.port
        sound = sound && (try? HTTPURL(href, relativeTo: url, hostEncoder: ASCIIHostEncoder())) == url
        sound = sound && (try? HTTPURL(url.description)) == url.removingUserinfo()
        sound = sound && href.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        sound = sound && url.path.hasPrefix("/") && url.requestTarget == url.path + (url.query.map { "?" + $0 } ?? "")
        sound = sound && url.authority == url.host + (url.port.map { ":\($0)" } ?? "") && !url.host.isEmpty
        sound = sound && !url.path.split(separator: "/").contains { $0 == "." || $0 == ".." }
        #expect(sound, "\(text.debugDescription) gave \(href)")
    }

    @Test func editingKeepsNormalForm() throws {
        var generator = URLInputGenerator(seed: 3)
        let base = try HTTPURL("https://h/x")
        for _ in 0..<5_000 {
            guard let url = try? HTTPURL(generator.mutated(), relativeTo: base) else { continue }
            let text = generator.mutated()
            for edited in [url.appendingQuery(text), url.replacingQuery(text), url.replacingFragment(text)] {
                try expectEqual(HTTPURL(edited.href), edited)
                #expect(edited.path == url.path && edited.origin == url.origin)
            }
        }
    }

    @Test func hostsOfAnyBytes() {
        var generator = URLInputGenerator(seed: 4)
        let alphabet = Array("0123456789abcdefxX.:[]%-".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<generator.next(24)).map { _ in alphabet[generator.next(alphabet.count)] }
            let text = String(decoding: bytes, as: UTF8.self)
            for candidate in ["http://\(text)/", "http://[\(text)]/"] {
                guard let url = try? HTTPURL(candidate) else { continue }
                check(url, candidate)
            }
        }
    }
}
