import MutationKit
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Mutations: Alt-Svc and Clear-Site-Data")
struct AltSvcMutationTests {
    static let services = MutatedReader(
        "AltSvc",
        seeds: [
            #"h3=":443"; ma=86400; persist=1, h2="alt.example.com:8000""#, "clear", #"w%3Dx%3Ay#z="[::1]:1""#,
            "h3=\":1\";x=\"y\\\"\"\nh2=\":2\"",
        ],
        tokens: [
            "h3", "=", "\"", ":", "\\", ",", ";", "ma=", "persist=1", "clear", "%3D", "%", "[", "]", " ", "\t", "\n",
            "65536", "99999999999999999999", "é", "\u{0}",
        ]
    ) { bytes in
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard let field = AltSvcField(lines.map(String.init)) else { return .refused }
        guard case .services(let services) = field else { return .accepted }
        guard (1...32).contains(services.count) else { throw MutationFailure("\(services.count) services.") }
        for service in services {
            _ = "\(service)"
            guard (1...65_535).contains(service.port), (0...2_147_483_647).contains(service.maxAge) else {
                throw MutationFailure("\(service) is out of range.")
            }
            guard (1...255).contains(service.protocolName.utf8.count) else {
                throw MutationFailure("\(service) has no name of a protocol.")
            }
            if let host = service.host, (try? Origin(scheme: .https, host: host))?.host != host {
                throw MutationFailure("“\(host)” is no host.")
            }
        }
        let origin = try Origin(scheme: .https, host: "example.com")
        var state = AltSvcState()
        state.note(field, from: origin, age: .max, at: .max)
        state.note(field, from: origin, age: .min, at: .min)
        guard state.services(for: origin, at: .min).count <= services.count else {
            throw MutationFailure("More is known than was said.")
        }
        return .accepted
    }

    static let clearing = MutatedReader(
        "ClearSiteData", seeds: [#""cache", "cookies", "storage""#, "\"*\"\n\"cache\""],
        tokens: ["\"", "cache", "\"cookies\"", "\"*\"", ",", " ", "\t", "\n", "\\", "é", "\u{0}"]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let types = ClearSiteData(text.split(separator: "\n").map(String.init))
        guard types.isSubset(of: .all) else { throw MutationFailure("\(types) has more than there is.") }
        // Nothing is cleared that was not named.
        for (type, name) in [(ClearSiteData.cache, "cache"), (.cookies, "cookies"), (.storage, "storage")]
        where types.contains(type) && !text.contains("\"\(name)\"") && !text.contains("\"*\"") {
            throw MutationFailure("“\(name)” was not named.")
        }
        return types.isEmpty ? .refused : .accepted
    }

    @Test("No mutated alternative ends the process") func survivesServices() async {
        let report = await Self.services.supervise {
            await #expect(processExitsWith: .success) { await AltSvcMutationTests.services.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated Clear-Site-Data ends the process") func survivesClearing() async {
        let report = await Self.clearing.supervise {
            await #expect(processExitsWith: .success) { await AltSvcMutationTests.clearing.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
