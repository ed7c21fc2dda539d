import MutationKit
import Testing

@testable import SternaCore
@testable import SternaTestSupport

@Suite("Mutations: public suffixes")
struct PublicSuffixMutationTests {
    static let reader = MutatedReader(
        "PublicSuffixList",
        seeds: [
            "// list\ncom\nco.uk\n*.ck\n!www.ck\n公司.cn\n", "a\nb.a\n*.b.a\n!c.b.a\nd.c.b.a // end\n",
            "example.com\n*.example.com\n-\nz.z.z.z.z.z.z\n",
        ],
        tokens: ["\n", "*.", "!", ".", "..", "//", " ", "\t", "com", "xn--", "é", "\u{0}", "\r\n", "-", "&", "%2e"]
    ) { bytes in
        let hosts = [
            "com", "a.com", "www.ck", "a.b.www.ck", "d.c.b.a", "x.y.z.z.z.z.z.z.z", "127.0.0.1", "", ".", "a..b",
        ]
        guard let list = try? PublicSuffixList(parsing: bytes) else { return .refused }
        for host in hosts + [String(decoding: bytes, as: UTF8.self)] {
            let (suffix, domain) = (list.publicSuffix(of: host), list.registrableDomain(of: host))
            _ = list.isPublicSuffix(host)
            if let domain {
                guard let suffix, domain.utf8.reversed().starts(with: ".\(suffix)".utf8.reversed()),
                    !list.isPublicSuffix(domain)
                else {
                    throw MutationFailure("\(domain) is no domain of \(host), whose suffix is \(suffix ?? "nil").")
                }
            }
        }
        return .accepted
    }

    @Test("No mutated list ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await PublicSuffixMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
