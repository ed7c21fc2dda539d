import HTTPTypes
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaSigning
@testable import SternaTestSupport

@Suite("AWS signatures: derived keys that are kept")
struct AWSDerivedKeyTests {
    static let credentials = AWSCredentials(accessKey: "AKID", secretKey: "hidden-key")

    /// 24 May 2013, 00:00 UTC.
    static let midnight: Int64 = 1_369_353_600

    static func scope(
        _ seconds: Int64 = midnight, region: String = "r", service: String = "s", vendor: AWSScope.Vendor = .aws
    ) -> AWSScope {
        AWSScope(vendor: vendor, region: region, service: service, seconds: seconds)
    }

    /// Returns whether the kept keys sign as the key that is derived anew does.
    static func isRight(
        _ keys: AWSDerivedKeys, _ scope: AWSScope, _ credentials: AWSCredentials = credentials
    ) -> Bool {
        AWSScope.signature(of: "text", keys.key(scope, credentials))
            == AWSScope.signature(of: "text", scope.key(credentials.secretKey))
    }

    static func count(_ keys: AWSDerivedKeys) -> Int { keys.kept.withLock { $0.count } }

    @Test("A key signs for a day, which ends at midnight UTC")
    func days() {
        let keys = AWSDerivedKeys()
        for (seconds, count) in [(Self.midnight - 86_400, 1), (Self.midnight - 1, 1), (Self.midnight, 2)] {
            #expect(Self.isRight(keys, Self.scope(seconds)))
            expectEqual(Self.count(keys), count)
        }
        // A clock that is behind finds yesterday's key.
        #expect(Self.isRight(keys, Self.scope(Self.midnight - 1)))
        expectEqual(Self.count(keys), 2)
    }

    @Test("Each region, service, vendor and secret has a key of its own")
    func scopes() {
        let vendor = AWSScope.Vendor(name: "osc", fieldName: "osc")
        let other = AWSCredentials(accessKey: Self.credentials.accessKey, secretKey: "hidden-key2")
        for (scope, credentials) in [
            (Self.scope(region: "s"), Self.credentials), (Self.scope(service: "r"), Self.credentials),
            (Self.scope(region: "s", service: "r"), Self.credentials), (Self.scope(vendor: vendor), Self.credentials),
            (Self.scope(), other),
        ] {
            let keys = AWSDerivedKeys()
            #expect(Self.isRight(keys, Self.scope()))
            #expect(Self.isRight(keys, scope, credentials))
            expectEqual(Self.count(keys), 2)
        }
    }

    @Test("The derived key depends on neither the session token nor the access key")
    func tokens() {
        let keys = AWSDerivedKeys()
        for (access, token) in [("A", nil), ("A", "one"), ("A", "two"), ("B", nil)] as [(String, String?)] {
            let credentials = AWSCredentials(accessKey: access, secretKey: "hidden-key", sessionToken: token)
            #expect(Self.isRight(keys, Self.scope(), credentials))
        }
        expectEqual(Self.count(keys), 1)
    }

    @Test("The number of kept keys is bounded; the oldest key is dropped first")
    func bounded() {
        let keys = AWSDerivedKeys()
        for index in 0..<10 {
            #expect(Self.isRight(keys, Self.scope(region: "r\(index)")))
            expectEqual(Self.count(keys), min(index + 1, AWSDerivedKeys.limit))
        }
        let scopes = keys.kept.withLock { $0.map(\.scope) }
        expectEqual(scopes, (6..<10).map { "20130524/r\($0)/s/aws4_request" })
    }

    @Test("Signers with and without shared keys make the same signatures of header, query and chunks")
    func signers() async throws {
        let keys = AWSDerivedKeys()
        let url = try HTTPURL("https://example.com/k?b=1")
        for seconds in [Self.midnight - 1, Self.midnight, Self.midnight + 1, Self.midnight - 1] {
            var signing = AWSSigning.s3(region: "r", credentials: Self.credentials)
            signing.placement = .query(expires: 60)
            let one = try AWSRequestSigner(signing, Self.credentials, seconds: seconds, keys: keys)
            let other = try AWSRequestSigner(signing, Self.credentials, seconds: seconds, keys: AWSDerivedKeys())
            let request = Request(.put, url)
            try expectEqual(
                one.signed(request, payloadHash: AWSScope.emptyHash).headers,
                other.signed(request, payloadHash: AWSScope.emptyHash).headers)
            try expectEqual(
                one.presigned(request, payloadHash: AWSRequestSigner.unsignedPayload).href,
                other.presigned(request, payloadHash: AWSRequestSigner.unsignedPayload).href)
            try await expectEqual(
                AWSVectorTests.bytes(of: one.chunked(request, .text("abc"), checksum: .sha256).body),
                AWSVectorTests.bytes(of: other.chunked(request, .text("abc"), checksum: .sha256).body))
        }
        expectEqual(Self.count(keys), 2)
    }

    @Test("A session signs with the day of its clock, and with credentials that have been replaced")
    func session() async throws {
        let store = AWSCredentialStore(Self.credentials)
        let other = AWSCredentials(accessKey: "AKID", secretKey: "other")
        let (api, mock) = try mocked()
        for (seconds, credentials) in [
            (Self.midnight - 1, Self.credentials), (Self.midnight, Self.credentials), (Self.midnight, other),
        ] {
            store.current = credentials
            var signing = AWSSigning(region: "r", service: "s", credentials: store)
            signing.now = { seconds }
            try await api.get("a") { [signing] in $0.auth.awsSigning = signing }
            let sent = try #require(mock.requests.last)
            let signer = try AWSRequestSigner(signing, credentials, seconds: seconds, keys: AWSDerivedKeys())
            try expectEqual(
                sent.headers[.authorization],
                signer.signed(sent, payloadHash: AWSScope.emptyHash).headers[.authorization])
        }
    }

    @Test("Tasks that sign at once get the right keys, and each is kept once")
    func concurrent() async {
        let keys = AWSDerivedKeys()
        for regions in [3, 6] {
            await withTaskGroup(of: Bool.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        (0..<60).allSatisfy { Self.isRight(keys, Self.scope(region: "r\((task + $0) % regions)")) }
                    }
                }
                for await isRight in group { #expect(isRight) }
            }
            let scopes = keys.kept.withLock { $0.map(\.scope) }
            expectEqual(Set(scopes).count, scopes.count)
            expectEqual(scopes.count, min(regions, AWSDerivedKeys.limit))
        }
    }

    @Test("No description shows a key or a secret")
    func secrets() {
        let keys = AWSDerivedKeys()
        #expect(Self.isRight(keys, Self.scope()))
        for text in [dumped(keys), "\(keys)", String(reflecting: keys), dumped(Self.credentials)] {
            #expect(!text.contains("hidden") && !text.contains("aws4_request") && !text.contains("digest"))
        }
    }
}
