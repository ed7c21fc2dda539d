import HTTPTypes
import NIOCore
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Upgrades of a session", .timeLimit(.minutes(5)))
struct UpgradeTests {
    @Test("The request names the protocol, and the bytes go both ways")
    func bytes() async throws {
        let server = SwitchingTransport()
        let api = try Session(baseURL: "https://a.example") { $0.network.transport = server }
        let stream = try await api.upgrade("x", to: "tcp", headers: ["X-Own": "1"])
        let request = try #require(server.requests.first)
        expectEqual(request.headers[.upgrade], "tcp")
        expectEqual(request.headers[.connection], "Upgrade")
        expectNil(request.headers[.acceptEncoding])
        expectEqual(stream.response.status.code, 101)
        let double = try #require(server.streams.first)
        try await stream.write(Bytes(string: "a"))
        expectEqual(double.putCount, 1)
        stream.finish()
        #expect(double.isFinished)
        let error = await socketError { try await stream.write(Bytes(string: "b")) }
        #expect(error != nil)
        stream.cancel()
        #expect(double.isCancelled)
    }

    @Test("A write waits for room; cancelled, it sends nothing")
    func backPressure() async throws {
        let server = SwitchingTransport(serving: { _, stream in stream.setCapacity(0) })
        let api = try Session(baseURL: "https://a.example") { $0.network.transport = server }
        let stream = try await api.upgrade("x", to: "tcp")
        let double = try #require(server.streams.first)
        let first = Task { try await stream.write(Bytes(string: "a")) }
        #expect(await eventually { double.waitingCount == 1 })
        first.cancel()
        await expectEqual(failure(of: first), .cancelled)
        expectEqual(double.putCount, 0)
        let second = Task { try await stream.write(Bytes(string: "b")) }
        #expect(await eventually { double.waitingCount == 1 })
        double.setCapacity(.max)
        try await second.value
        expectEqual(double.putCount, 1)
    }

    @Test("Releasing the stream cancels it")
    func release() async throws {
        let server = SwitchingTransport()
        let api = try Session(baseURL: "https://a.example") { $0.network.transport = server }
        do {
            let stream = try await api.upgrade("x", to: "tcp")
            expectEqual(stream.response.status.code, 101)
            expectEqual(server.streams.map(\.isCancelled), [false])
        }
        expectEqual(server.streams.map(\.isCancelled), [true])
    }

    @Test("A refusal is an error with the response", arguments: [404, 426])
    func refusal(_ status: Int) async throws {
        let mock = MockTransport(responses: [ServerResponse(status: status, body: .bytes(Array("no".utf8)))])
        let api = try Session(baseURL: "https://a.example") { $0.network.transport = mock }
        let error = await socketError { _ = try await api.upgrade("x", to: "tcp") }
        expectEqual(error?.kind, .unacceptableStatus)
        expectEqual(error?.status, status)
        expectEqual(error?.body?.text, "no")
    }

    @Test("Names of protocols are tokens, with a version if need be", arguments: ["", "a b", "a/", "a/b/c", "a,b"])
    func invalidNames(_ name: String) async throws {
        let mock = MockTransport(responses: [])
        let api = try Session(baseURL: "https://a.example") { $0.network.transport = mock }
        let error = await socketError { _ = try await api.upgrade("x", to: name) }
        expectEqual(error?.kind, .invalidRequest)
        expectEqual(mock.requests.count, 0)
    }
}
