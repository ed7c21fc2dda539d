import SternaPlatform
import SternaTesting

/// OpenSSL's program: files in its forms, and servers that judge as it does.
enum OpenSSL {
    static let program = ChildProcess.find("openssl")

    static func isThere() -> Bool { ChildProcess.mayNotSkip || program != nil }

    /// Runs it in a folder; throws what it complains of.
    @discardableResult
    static func run(_ arguments: String...) async throws -> [UInt8] {
        guard let program else { throw ChildProcess.Failure(description: "openssl is not installed") }
        return try await ChildProcess.run([program] + arguments, input: [])
    }

    /// A folder with files of certificates, removed at the end.
    static func withFolder<R>(_ work: (String) async throws -> R) async throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sterna-openssl-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await work(folder)
    }

    /// A server that answers each request with a page about its connection.
    final class Server: Sendable {
        let port: Int
        private let process: pid_t
        private let output: CInt

        /// Starts one with a certificate and a key; returns when it takes connections.
        init(_ arguments: [String]) async throws {
            guard let program else { throw ChildProcess.Failure(description: "openssl is not installed") }
            // Given back before the server takes it.
            let port = try FreePorts.take(1)[0]
            self.port = port
            (process, output) = try ChildProcess.start(
                [program, "s_server", "-accept", "127.0.0.1:\(port)", "-www", "-quiet"] + arguments
            ) { pipe in ([pipe.read, pipe.write, pipe.write], pipe.read) }
            try await Self.waitUntilAccepting(port)
        }

        deinit {
            kill(process, SIGKILL)
            _ = ChildProcess.wait(for: process)
            close(output)
        }

        /// Waits until something listens on a port.
        static func waitUntilAccepting(_ port: Int) async throws {
            for _ in 0..<3_000 {
                if accepts(port) { return }
                try await Task.sleep(for: .milliseconds(10))
            }
        }

        private static func accepts(_ port: Int) -> Bool {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
    }
}
