import Sterna
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaSigning
@testable import SternaTestSupport

@Suite("Signatures: waits before a request is sent", .timeLimit(.minutes(5)))
struct SigningWaitTests {
    /// A provider that does not answer.
    private struct Silent: AWSCredentialProvider {
        let release: Gate

        func credentials() async throws -> AWSCredentials {
            await release.wait()
            return AWSSigningTests.keys
        }
    }

    @Test("The deadline holds while the provider of AWS credentials is asked, even if it ignores cancellation")
    func provider() async throws {
        let release = Gate()
        defer { release.open() }
        let (api, mock) = try mocked {
            $0.timeouts.total = .milliseconds(100)
            $0.auth.awsSigning = AWSSigning(region: "r", service: "s", credentials: Silent(release: release))
        }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .timedOut)
        #expect(mock.requests.isEmpty)
    }

    @Test("A cancellation ends the wait for the provider of AWS credentials")
    func cancelled() async throws {
        let release = Gate()
        defer { release.open() }
        let (api, mock) = try mocked {
            $0.auth.awsSigning = AWSSigning(region: "r", service: "s", credentials: Silent(release: release))
        }
        let request = Task { try await api.get("a") }
        request.cancel()
        let error = await #expect(throws: SternaError.self) { try await request.value }
        expectEqual(error?.kind, .cancelled)
        #expect(mock.requests.isEmpty)
    }

    @Test("The deadline holds while a body is collected for its signature", arguments: [false, true])
    func body(isAWS: Bool) async throws {
        let (stream, source) = AsyncStream.makeStream(of: Bytes.self)
        defer { source.finish() }
        let (api, mock) = try mocked {
            $0.timeouts.total = .milliseconds(100)
            if isAWS {
                $0.auth.awsSigning = AWSSigningTests.signing()
            } else {
                $0.auth.messageSigning = MessageSigningTests.signing()
            }
        }
        source.yield(Bytes(text: "begun"))
        let error = await #expect(throws: SternaError.self) { try await api.post("a", body: .stream(stream)) }
        expectEqual(error?.kind, .timedOut)
        #expect(mock.requests.isEmpty)
    }
}
