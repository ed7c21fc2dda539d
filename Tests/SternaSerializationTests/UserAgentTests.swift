import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("User-Agent")
struct UserAgentTests {
    static let forms: [(String, String?, UserAgent.Platform, String)] = [
        ("App", "1.2", .linux(distribution: "Debian GNU/Linux 12"), "App/1.2 (Linux; Debian GNU/Linux 12)"),
        ("App", nil, .linux(distribution: "Alpine Linux 3.20"), "App (Linux; Alpine Linux 3.20)"),
        ("App", "", .linux(distribution: "Arch"), "App (Linux; Arch)"),
        (
            "App", "1.0", .macOS(version: "Version 15.1 (Build 24B83)"),
            "App/1.0 (Mac OS X Version 15.1 (Build 24B83))"
        ),
        (
            "App", "2.0", .device(model: "iPhone", system: "iOS", version: "18.1", scale: 3),
            "App/2.0 (iPhone; iOS 18.1; Scale/3.00)"
        ),
        (
            "App", "2.0", .device(model: "Apple TV", system: "tvOS", version: "18", scale: 1),
            "App/2.0 (Apple TV; tvOS 18; Scale/1.00)"
        ),
        (
            "App", "2.0", .device(model: "Apple Watch", system: "watchOS", version: "11.0", scale: 2.5),
            "App/2.0 (Apple Watch; watchOS 11.0; Scale/2.50)"
        ),
        (
            "App", "2.0", .device(model: "RealityDevice14,1", system: "visionOS", version: "2.0", scale: nil),
            "App/2.0 (RealityDevice14,1; visionOS 2.0)"
        ),
    ]

    @Test("AFNetworking's form for each platform", arguments: forms.indices)
    func form(index: Int) {
        let (product, version, platform, expected) = Self.forms[index]
        expectEqual(UserAgent.value(product: product, version: version, platform: platform), expected)
    }

    static let scales: [(Double, String)] = [
        (1, "1.00"), (2.608, "2.61"), (0.5, "0.50"), (2.005, "2.01"), (0, "0.00"), (-1, "0.00"), (1e300, "100.00"),
        (.infinity, "100.00"),
    ]

    @Test("The scale has two decimals", arguments: scales)
    func scale(value: Double, text: String) {
        // 2.005 in binary lies just below the half, so either neighbour is right.
        let agent = UserAgent.value(
            product: "A", version: nil, platform: .device(model: "m", system: "s", version: "v", scale: value))
        #expect(agent == "A (m; s v; Scale/\(text))" || value == 2.005 && agent == "A (m; s v; Scale/2.00)")
    }

    @Test("A scale of NaN does not trap")
    func noScale() {
        let agent = UserAgent.value(
            product: "A", version: nil, platform: .device(model: "m", system: "s", version: "v", scale: .nan))
        #expect(agent.hasPrefix("A (m; s v"))
    }

    static let sanitized: [(String, String?, String, String)] = [
        ("My App", "1.0 beta", "Linux", "My-App/1.0-beta (Linux; Linux)"),
        ("A/B", "1/2", "x", "A-B/1-2 (Linux; x)"),
        ("A(B)", "1;2", "x", "A-B-/1-2 (Linux; x)"),
        ("A\"B\\", "1,2", "x", "A-B-/1-2 (Linux; x)"),
        ("  A  ", " 1 ", "  x  ", "A/1 (Linux; x)"),
        ("A\r\nX-Evil: 1", "1\u{0}", "x\r\nX-Evil: 1", "AX-Evil--1/1 (Linux; xX-Evil: 1)"),
        ("", "1", "x", "Sterna/1 (Linux; x)"),
        ("A", "1", "a (b", "A/1 (Linux; a b)"),
        ("A", "1", "a) b", "A/1 (Linux; a b)"),
        ("A", "1", ")a(", "A/1 (Linux; a)"),
        ("A", "1", "a (b (c))", "A/1 (Linux; a (b (c)))"),
        ("A", "1", "a\\b", "A/1 (Linux; ab)"),
    ]

    @Test("Text that is not a valid token or comment is converted to one", arguments: sanitized.indices)
    func sanitize(index: Int) {
        let (product, version, distribution, expected) = Self.sanitized[index]
        let agent = UserAgent.value(
            product: product, version: version, platform: .linux(distribution: distribution))
        expectEqual(agent, expected)
        #expect(FieldSyntax.isValue(agent))
    }

    @Test("Whatever the texts are, the value is printable ASCII")
    func ascii() {
        let texts = [
            "é\u{301}", "日本", "🐦", "\u{7F}\u{80}", "\u{202E}", "a\tb", String(decoding: [0xFF, 0xFE], as: UTF8.self),
        ]
        for text in texts {
            let agent = UserAgent.value(
                product: text, version: text,
                platform: .device(model: text, system: text, version: text, scale: nil))
            #expect(agent.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            #expect(!agent.hasPrefix("/") && !agent.hasPrefix(" "))
        }
    }

    @Test("The platform that the tests run on has a form")
    func current() {
        let agent = UserAgent.value(product: "A", version: "1")
        #if os(Linux)
        #expect(agent.hasPrefix("A/1 (Linux; "))
        #elseif os(macOS)
        #expect(agent.hasPrefix("A/1 (Mac OS X Version "))
        #endif
        #expect(agent.hasSuffix(")"))
        expectEqual(HTTPRequestSerializer().headers["User-Agent"]?.hasSuffix(String(agent.dropFirst(3))), true)
    }

    @Test(
        "A distribution is named as os-release(5) has it",
        arguments: [
            ("NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\n", "Debian GNU/Linux 12"),
            ("PRETTY_NAME=\"x\"\nNAME='Alpine Linux'\nID=alpine\nVERSION_ID=3.20.1", "Alpine Linux 3.20.1"),
            ("VERSION_ID=\"40\"\r\nNAME=Fedora\r\n", "Fedora 40"),
            ("NAME=Arch\n", "Arch"),
            ("NAME=Arch\nVERSION_ID=\n", "Arch"),
            ("NAME=One\nNAME=Two\n", "Two"),
            ("NAME=A=B\n", "A=B"),
            ("name=Small\n NAME=Blank\n#NAME=Comment\n", nil),
            ("NAME=\"\"\nVERSION_ID=1\n", nil), ("NAME", nil), ("", nil), ("\n\n", nil),
            (String(repeating: "A=B\n", count: 100) + "NAME=Late\n", nil),
        ] as [(String, String?)])
    func distribution(release: String, expected: String?) {
        expectEqual(UserAgent.Platform.distribution(release: release), expected)
    }
}
