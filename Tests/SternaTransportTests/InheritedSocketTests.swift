import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A child process inherits each descriptor that is not closed when it begins.
@Suite("Sockets and child processes", .timeLimit(.minutes(5)))
struct InheritedSocketTests {
    /// A process that does nothing, and ends with this object.
    private final class Child {
        private let process: pid_t

        init() throws {
            var process: pid_t = 0
            let words = ["/bin/sleep", "600"]
            var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
            arguments.append(nil)
            defer { for argument in arguments { free(argument) } }
            var variables: [UnsafeMutablePointer<CChar>?] = [nil]
            let code = posix_spawn(&process, words[0], nil, nil, &arguments, &variables)
            try #require(code == 0)
            self.process = process
        }

        deinit {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
    }

    @Test("A connection that the engine closes ends for the server, though a child process was started meanwhile")
    func connection() async throws {
        try await TestServer.withServer(.init(idleTimeout: nil)) { server async throws in
            let engine = Wire.engine()
            let api = try Wire.session(server.url, engine: engine)
            try await expectEqual(api.get("get").status, 200)
            expectEqual(server.openConnections, 1)
            let child = try Child()
            await engine.shutDown(within: .zero)
            try await server.waitForOpenConnections(0)
            withExtendedLifetime(child) {}
        }
    }

    @Test("The port of a server that was stopped is free, though a child process was started meanwhile")
    func port() async throws {
        // An address of this test alone: no other takes the port.
        var options = TestServer.Options(host: "127.0.0.23")
        let first = try await TestServer.start(options)
        options.port = first.port
        let child = try Child()
        try await first.stop()
        try await TestServer.withServer(options) { second async throws in
            expectEqual(second.port, first.port)
            try await expectEqual(Wire.session(second.url).get("get").status, 200)
        }
        withExtendedLifetime(child) {}
    }
}
