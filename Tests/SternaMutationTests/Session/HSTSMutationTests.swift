import MutationKit
import Testing

@testable import Sterna
@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Mutations: HSTS")
struct HSTSMutationTests {
    static let fields = MutatedReader(
        "StrictTransportSecurity",
        seeds: [
            "max-age=31536000", "max-age=15768000 ; includeSubDomains", "max-age=\"31536000\"",
            "max-age=0; includeSubDomains",
            " ;; max-age = 7 ;\t; includeSubDomains ; ", "max-age=999999999999999999999999999999",
            "max-age=1; unknown=token; other=\"quoted ; \\\" max-age=2\"",
        ],
        tokens: [
            "max-age", "=", ";", "includeSubDomains", "\"", "\\", " ", "\t", ",", "0", "99999999999999999999", "-",
            "preload", "é", "\u{0}", "Max-Age=1",
        ]
    ) { bytes in
        guard let field = StrictTransportSecurity(String(decoding: bytes, as: UTF8.self)) else { return .refused }
        guard (0...2_147_483_647).contains(field.maxAge) else {
            throw MutationFailure("\(field.maxAge) seconds are out of range.")
        }
        // A second `max-age`, or none, is never accepted.
        let said = "max-age=\(field.maxAge)\(field.includesSubdomains ? ";includeSubDomains" : "")"
        guard StrictTransportSecurity(said) == field, StrictTransportSecurity("\(said);max-age=1") == nil else {
            throw MutationFailure("It is not read as it was written.")
        }
        return .accepted
    }

    static let files = MutatedReader(
        "HSTSFile", seeds: [Samples.hstsFile, #"{"version":1,"hosts":[]}"#],
        tokens: [
            "[", "]", "{", "}", ",", "null", "\"", "\\", "1e9", "-1", "\"removed\":", "true", "\"host\":",
            "\"expires\":", "9223372036854775807", "a..b", "127.0.0.1", "localhost", "é",
        ]
    ) { bytes in
        guard let file = try? HSTSFile(parsing: bytes) else { return .refused }
        guard try HSTSFile(parsing: file.content()) == file else {
            throw MutationFailure("It is not read as it was written.")
        }
        // Whatever moments it has, they are usable.
        for now in [Int64.min, 0, 1_767_225_600_000, .max] {
            var state = HSTSState(limit: 2, keepsRemovals: true)
            _ = state.merge(file.entries, at: now)
            for host in file.entries.keys {
                guard let name = HSTSName(host: host) else { throw MutationFailure("\(host) is no host.") }
                _ = state.requiresTLS(name, at: now)
                _ = state.note(StrictTransportSecurity(maxAge: .max, includesSubdomains: true), from: name, at: now)
                _ = state.remove(name, at: now)
            }
            guard state.entries.count <= 2 else { throw MutationFailure("The limit is exceeded.") }
        }
        return .accepted
    }

    static let texts = MutatedReader(
        "HSTSText",
        seeds: [
            "# Your HSTS cache. https://curl.se/docs/hsts.html\n.a.test \"20271130 00:00:00\"\nb.test \"unlimited\"\n",
            "127.0.0.1 \"20271130 00:00:00\"\r\n# a\nB.test. \"31709001007 09:17:08\"\n",
        ],
        tokens: [
            "\n", "\r\n", "#", ".", " ", "\"", "\"unlimited\"", "20271130", "00:00:00", "99999999", "00000101", "-",
            "a.test", "xn--", "é",
        ]
    ) { bytes in
        guard let text = try? HSTSText(parsing: bytes) else { return .refused }
        guard try HSTSText(parsing: text.content()) == text else {
            throw MutationFailure("It is not read as it was written.")
        }
        for host in text.entries.keys where HSTSName(host: host)?.text != host {
            throw MutationFailure("“\(host)” is not in the one form of a host.")
        }
        return .accepted
    }

    static let lists = MutatedReader(
        "HSTSPreload",
        seeds: [
            "# a\nexample.com\n.Bücher.example \"unlimited\"\r\n",
            "// a\n{\n\"entries\": [\n{\"name\": \"dev\", \"mode\": \"force-https\", \"include_subdomains\": true}\n]}",
        ],
        tokens: [
            "\n", "\r\n", "#", "//", ".", " \"unlimited\"", "{", "}", "[", "]", "\"entries\":", "\"mode\":",
            "\"force-https\"", "\"name\":", "127.0.0.1", "xn--", "é", ",",
        ]
    ) { bytes in
        guard let list = try? HSTSPreload(parsing: bytes) else { return .refused }
        for (host, includes) in list.hosts {
            guard let name = HSTSName(host: host), name.text == host, list.requiresTLS(name) else {
                throw MutationFailure("“\(host)” is not in the one form of a host.")
            }
            if includes, let below = HSTSName(host: "a.\(host)"), !list.requiresTLS(below) {
                throw MutationFailure("What is below “\(host)” is not covered.")
            }
        }
        return .accepted
    }

    @Test("No mutated field ends the process") func survivesFields() async {
        let report = await Self.fields.supervise {
            await #expect(processExitsWith: .success) { await HSTSMutationTests.fields.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated file ends the process") func survivesFiles() async {
        let report = await Self.files.supervise {
            await #expect(processExitsWith: .success) { await HSTSMutationTests.files.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated file of curl ends the process") func survivesTexts() async {
        let report = await Self.texts.supervise {
            await #expect(processExitsWith: .success) { await HSTSMutationTests.texts.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated preload list ends the process") func survivesLists() async {
        let report = await Self.lists.supervise {
            await #expect(processExitsWith: .success) { await HSTSMutationTests.lists.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
