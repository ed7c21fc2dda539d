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
        let process: pid_t

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

    /// The sockets of this machine that have a port at either end, as the names of descriptors show them.
    private static func sockets(withPort port: Int) throws -> Set<String> {
        // The file has no size, and comes in pieces.
        let file = open("/proc/net/tcp", O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while case let count = read(file, &piece, piece.count), count > 0 { bytes += piece[..<count] }
        let table = String(decoding: bytes, as: UTF8.self)
        let suffix = ":" + String(port + 0x10000, radix: 16, uppercase: true).dropFirst()
        let rows = table.split(separator: "\n").map { $0.split(separator: " ") }
        return Set(
            rows.filter { $0.count > 9 && ($0[1].hasSuffix(suffix) || $0[2].hasSuffix(suffix)) }.map {
                "socket:[\($0[9])]"
            })
    }

    // What the processes of other tests inherit does not count: between the making of a socket and its mark is a moment, in which they may
    // begin. So ports and connections that stay open prove nothing.
    @Test(
        "A child process gets no socket of a server, of its connections and of a session",
        .enabled("needs /proc") { access("/proc/net/tcp", R_OK) == 0 })
    func sockets() async throws {
        try await TestServer.withServer(.init(host: "127.0.0.23", idleTimeout: nil)) { server async throws in
            let api = try Wire.session(server.url, engine: Wire.engine())
            try await expectEqual(api.get("get").status, 200)
            expectEqual(server.openConnections, 1)
            let sockets = try Self.sockets(withPort: server.port)
            #expect(sockets.count >= 3)
            let child = try Child()
            let folder = "/proc/\(child.process)/fd"
            let inherited = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            }
            #expect(!inherited.isEmpty)
            #expect(sockets.isDisjoint(with: inherited))
            withExtendedLifetime(child) {}
        }
    }
}
