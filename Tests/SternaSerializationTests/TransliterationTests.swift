#if Foundation
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Transliteration")
struct TransliterationTests {
    @Test(arguments: [
        ("", ""), ("Plain ~", "Plain ~"), ("Ünïcödé", "Unicode"), ("Приложение", "Prilozenie"), ("ﬃ ½", "ffi  1/2"),
        ("日本", "ri ben"), ("한국", "hangug"), ("Caf\u{E9} \u{2014} \u{201C}x\u{201D}", "Cafe - \"x\""), ("a🐦b", "ab"),
        ("a\u{0}\u{7}\r\nb\u{7F}\u{85}\u{2028}", "ab"), ("é\u{0}\u{1B}[1m", "e[1m"),
    ])
    func ascii(text: String, wanted: String) {
        expectEqual(Transliteration.ascii(text), wanted)
    }

    @Test func userAgent() {
        let agent = UserAgent.value(product: "Привет", version: "1", platform: .linux(distribution: "Débian\r\n"))
        expectEqual(agent, "Privet/1 (Linux; Debian)")
    }

    @Test(arguments: [
        (
            "Füße", "1.β", UserAgent.Platform.macOS(version: "Version 15 (Bäu 1)"),
            "Fusse/1.b (Mac OS X Version 15 (Bau 1))"
        ),
        (
            "東京", "1", .device(model: "iPhoné", system: "iOS", version: "18", scale: 2),
            "dong-jing/1 (iPhone; iOS 18; Scale/2.00)"
        ),
        ("🐦", "🐦", .linux(distribution: "🐦"), "Sterna (Linux; )"),
    ])
    func userAgents(product: String, version: String, platform: UserAgent.Platform, wanted: String) {
        expectEqual(UserAgent.value(product: product, version: version, platform: platform), wanted)
    }
}
#endif
