import SternaPlatform
import SternaTesting

@testable import SternaTestSupport

/// A server of others in a folder of its own, on ports of its own, in the foreground; ended when this is released, and by
/// the system where the tests have crashed.
final class ServerProgram: Sendable {
    /// A program by its name.
    struct Name: Sendable, CustomStringConvertible {
        let description: String

        /// Where it is built, for one of this repository.
        var built: String?

        /// Where it is; nil where it is not installed. Programs of the system's administrator are not on every path.
        var path: String? {
            if let built { return access(built, X_OK) == 0 ? built : nil }
            let folders = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"]
            return folders.lazy.map { "\($0)/\(description)" }.first { access($0, X_OK) == 0 }
                ?? ChildProcess.find(description)
        }

        /// Whether its tests run: it is there, or has to be because this is CI.
        var mayRun: Bool { ChildProcess.mayNotSkip || path != nil }
    }

    /// Asks the program to end when the other end of its standard input is closed, and after that ends the whole group: helpers
    /// of its own, and a program that does not listen.
    private static let keeper = """
        "$@" & child=$!; exec 3>&-; cat >/dev/null; (sleep 5; kill -KILL 0) & \
        kill -TERM $child; wait $child; rm -f /dev/shm/"$0"-*; kill -KILL 0
        """

    /// A name that no other server has, of letters and digits.
    let name: String
    /// Everybody may write here, as some programs take the identity of a user of their own.
    let folder: String
    let ports: [Int]
    private let process: pid_t
    private let lifeline: CInt

    /// Starts a program; returns when it takes connections on its first port.
    ///
    /// - Parameters:
    ///   - ports: how many it needs.
    ///   - prepare: given the folder, the ports and the server's name; puts files there and gives the arguments.
    init(
        _ program: Name, ports count: Int = 1,
        prepare: (_ folder: String, _ ports: [Int], _ name: String) async throws -> [String]
    ) async throws {
        guard let path = program.path else { throw ChildProcess.Failure(description: "\(program) is not installed") }
        name = "sterna\(UInt64.random(in: 0 ... .max))"
        folder = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(program)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        chmod(folder, 0o777)
        ports = try FreePorts.take(count)
        let arguments: [String]
        do {
            arguments = try await prepare(folder, ports, name)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
        let log = open("\(folder)/output.log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        defer { if log >= 0 { close(log) } }
        (process, lifeline) = try ChildProcess.start(
            ["/bin/sh", "-c", Self.keeper, name, path] + arguments, inOwnGroup: true
        ) { pipe in ([pipe.read, log, log], pipe.write) }
        let start = ContinuousClock.now
        for _ in 0..<1_500 {
            if Self.accepts(ports[0]) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        let state = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? "gone"
        throw ChildProcess.Failure(
            description:
                "\(program) did not start within \(ContinuousClock.now - start), its keeper is “\(state)”: \(complaints())"
        )
    }

    deinit {
        close(lifeline)
        _ = ChildProcess.wait(for: process)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The last that it wrote to its logs.
    func complaints() -> String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".log") }.map { name in
            let text = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
            return "\(name): \(text.suffix(1_500))"
        }.joined(separator: "\n")
    }

    static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        chmod(path, 0o644)
    }

    /// 3,000,000 bytes without a period, so that a piece sent twice or out of place shows.
    static let noise = SternaTestSupport.noise(3_000_000)

    private static func accepts(_ port: Int) -> Bool {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
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
