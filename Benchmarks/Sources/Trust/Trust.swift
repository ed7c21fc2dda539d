import Foundation
import Sterna
import SternaTesting

/// What judging a server costs: `swift run -c release Trust`.
@main
struct Trust {
    static func main() async throws {
        let root = try CertificateAuthority(commonName: "Root")
        let bundle = try root.issueIntermediate().issueIntermediate(commonName: "Lower").issue()
        var policy = SecurityPolicy(roots: .system + .pem(root.pem))
        policy.pins = [try .publicKey(of: bundle.leafDER)]
        try await verdicts(policy, bundle)
        try await connections(policy, bundle)
        for kind in CertificateOptions.KeyKind.allCases { try await hostile(kind) }
    }

    /// Fifteen certificates that sign each other, where a trusted root has their name too: the longest of 20.
    static func hostile(_ kind: CertificateOptions.KeyKind) async throws {
        func options(_ number: Int) -> AuthorityOptions {
            var options = AuthorityOptions(commonName: "Mesh")
            options.hosts = ["n\(number).test"]
            options.key = kind
            return options
        }
        let root = try CertificateAuthority(options(99))
        var longest = Duration.zero
        for count in [1, 4] {
            let keys = try (0..<count).map { try CertificateAuthority(options($0)) }
            let ring = try (0..<15).map { number in
                try keys[number % count].crossSigned(by: keys[(number / count + number) % count], options(number))
            }
            let chain = try [keys[0].issue(hosts: ["localhost"]).leafDER] + ring.map(\.der)
            let policy = SecurityPolicy.authority(pem: root.pem)
            _ = await policy.evaluate(chain: chain, host: "localhost").verdict
            for _ in 0..<10 {
                let start = ContinuousClock.now
                let verdict = await policy.evaluate(chain: chain, host: "localhost").verdict
                longest = max(longest, ContinuousClock.now - start)
                if verdict.isAccepted { print("accepted") }
            }
        }
        print("hostile chain of 16, \(kind): at most \(Double(longest.components.attoseconds) / 1e15) ms")
    }

    /// A chain of three presented certificates against the system's roots and one more: found anew each time, and remembered.
    static func verdicts(_ policy: SecurityPolicy, _ bundle: CertificateBundle) async throws {
        let session = try Session { $0.trust.policy = policy }
        let presented = try await TestServer.withServer(.init(tls: bundle)) { server in
            try await session.inspectTrust(of: server.url("/")).evaluation.presented
        }
        let now = Date().timeIntervalSince1970
        for (name, step) in [("found anew", 1_000.0), ("remembered", 0.0)] {
            let start = cpu()
            let count = 2_000
            for number in 0..<count {
                // A path is remembered for ten minutes: moments that lie further apart do not find it.
                let time = now - 80_000 + Double(number % 80) * step
                guard await policy.evaluate(chain: presented, host: "localhost", time: time).verdict == .trusted else {
                    print("not trusted")
                    return
                }
            }
            print("verdict, chain of 3 and a pin, \(name): \(Int((cpu() - start) / Double(count) * 1e6)) us of CPU")
        }
    }

    /// New connections, each with a handshake, by a policy that looks at nothing and one that finds its path anew; in turn.
    static func connections(_ policy: SecurityPolicy, _ bundle: CertificateBundle) async throws {
        try await TestServer.withServer(.init(tls: bundle)) { server in
            let now = Date()
            func spend(_ policy: SecurityPolicy) async throws -> Double {
                let session = try Session { settings in
                    settings.network.engine = Engine()
                    settings.trust.policy = policy
                    settings.responseSerializer = .data
                }
                let start = cpu()
                try await session.get(server.url("/status/204"))
                return cpu() - start
            }
            var plain: [Double] = []
            var judged: [Double] = []
            for number in 0..<400 {
                var policy = policy
                policy.verificationTime = now - 80_000 + Double(number % 80) * 1_000
                plain.append(try await spend(.insecure))
                judged.append(try await spend(policy))
            }
            let (one, other) = (plain.sorted()[200] * 1e3, judged.sorted()[200] * 1e3)
            let text = [one, other, other - one].map { String(format: "%.2f", $0) }
            print(
                "new connection and request, both ends, CPU: \(text[0]) ms unjudged, \(text[1]) ms judged: \(text[2]) ms more"
            )
        }
    }

    static func cpu() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
