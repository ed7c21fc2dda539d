import Sterna
import SternaPlatform
import Testing

/// A httpbin of PyPI behind gunicorn, on a free port of the loopback, from the environment that `.ci/interop-servers` makes.
final class Httpbin: Sendable {
    /// That of the suite that is running.
    @TaskLocal static var current: Httpbin?

    private static let folder = "\(ChildProcess.package)/.build/interop"
    private static let python = "\(folder)/venv/bin/python"

    /// Whether there is one, or has to be because this is CI.
    static var isThere: Bool { ChildProcess.mayNotSkip || access(python, X_OK) == 0 }

    let url: String
    private let process: pid_t
    private let lifeline: CInt

    /// Settings that a version does not know are left out; the control socket would lie in the user's home folder.
    private static let server = """
        import sys
        from gunicorn.app.base import BaseApplication
        from httpbin import app

        class Server(BaseApplication):
            def load_config(self):
                settings = dict(
                    bind="fd://3", worker_class="gthread", threads=24, keepalive=30, timeout=0, control_socket_disable=True)
                if len(sys.argv) > 2:
                    settings.update(certfile=sys.argv[1], keyfile=sys.argv[2])
                for name, value in settings.items():
                    if name in self.cfg.settings:
                        self.cfg.set(name, value)

            def load(self):
                return app

        Server().run()
        """

    /// The shell ends the server with all its workers when the other end of its standard input is closed: by `stop`, or by
    /// the system where the tests have crashed.
    private static let keeper = "\"$0\" -c \"$@\" & exec 3>&-; cat >/dev/null; kill -KILL 0"

    /// Starts it. The socket listens already, so the first request waits until a worker takes it; where the server cannot
    /// start nobody holds the socket any more, and the request fails.
    ///
    /// - Parameter files: the paths of a certificate and its key, for TLS; none by default.
    init(tls files: [String] = []) throws {
        guard access(Self.python, X_OK) == 0 else {
            throw ChildProcess.Failure(description: "httpbin is not there: .ci/interop-servers installs it")
        }
        let listener = try LoopbackListener()
        url = files.isEmpty ? "http://127.0.0.1:\(listener.port)" : "https://localhost:\(listener.port)"
        let log = open("\(Self.folder)/httpbin.log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        defer { if log >= 0 { close(log) } }
        (process, lifeline) = try ChildProcess.start(
            ["/bin/sh", "-c", Self.keeper, Self.python, Self.server] + files, inOwnGroup: true
        ) { pipe in
            ([pipe.read, log, log, listener.descriptor], pipe.write)
        }
    }

    /// Ends it at once, and waits until it is gone.
    func stop() async {
        close(lifeline)
        _ = await ChildProcess.blocking { [process] in ChildProcess.wait(for: process) }
    }

    func waitUntilReady() async throws {
        do {
            try await Session { $0.network.engine = Engine() }.get("\(url)/get")
        } catch {
            let log = (try? String(contentsOfFile: "\(Self.folder)/httpbin.log", encoding: .utf8)) ?? ""
            throw ChildProcess.Failure(description: "httpbin did not start: \(error)\n\(log.suffix(2_000))")
        }
    }
}

/// A socket of the loopback that listens on a free port.
final class LoopbackListener {
    let descriptor: CInt
    let port: Int

    init() throws {
        #if canImport(Glibc)
        let stream = CInt(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, stream, 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // The address as the system has it in memory: family, port, 127.0.0.1.
        var address = [UInt8](repeating: 0, count: 16)
        #if canImport(Darwin)
        address.replaceSubrange(0..<2, with: [16, UInt8(AF_INET)])
        #else
        withUnsafeBytes(of: UInt16(AF_INET)) { address.replaceSubrange(0..<2, with: $0) }
        #endif
        address.replaceSubrange(4..<8, with: [127, 0, 0, 1])
        var length = socklen_t(address.count)
        let socket = descriptor
        // Valid for the length of the calls, and as long as they are told.
        let isListening = address.withUnsafeMutableBytes { bytes in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return bind(socket, pointer, length) == 0 && listen(socket, 128) == 0
                && getsockname(socket, pointer, &length) == 0
        }
        port = Int(address[2]) << 8 | Int(address[3])
        guard isListening else { throw ChildProcess.Failure(description: "no port: \(errno)") }
    }

    deinit { close(descriptor) }
}

/// Runs a suite with a httpbin that is started before its first test and stopped after its last.
struct HttpbinTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let httpbin = try Httpbin()
        do {
            try await httpbin.waitUntilReady()
            try await Httpbin.$current.withValue(httpbin) { try await function() }
        } catch {
            await httpbin.stop()
            throw error
        }
        await httpbin.stop()
    }
}

extension Trait where Self == HttpbinTrait {
    static var httpbin: Self { HttpbinTrait() }
}

/// Against httpbin itself. Skipped where `.ci/interop-servers` has not run; CI runs it.
@Suite(
    "Interop: httpbin", .enabled(if: Httpbin.isThere, "httpbin is not there: .ci/interop-servers installs it"),
    .httpbin,
    .timeLimit(.minutes(5)))
struct HttpbinTests {
    /// A session with the server as its base and connections of its own.
    static func session(_ configure: (inout SessionSettings) -> Void = { _ in }) throws -> Session {
        let httpbin = try #require(Httpbin.current)
        return try Session(baseURL: httpbin.url) {
            $0.network.engine = Engine()
            $0.retry = .none
            configure(&$0)
        }
    }
}

extension Reply {
    /// The values of a header field, a line each.
    func fields(_ name: String) -> [String] {
        HTTPField.Name(name).map { headers[values: $0] } ?? []
    }
}
