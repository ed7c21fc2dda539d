import Dispatch
import SternaCore
import SternaPlatform
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Processes that write a jar without a pause, and are killed, or share it.
///
///     STERNA_LONG_TESTS=1 swift test -c release -Xswiftc -enable-testing --filter CookieJarKillTests
@Suite("Cookie jar: killed processes", .serialized)
struct CookieJarKillTests {
    @Test("A process killed while it saves loses no saved cookie, and leaves none that was not set")
    func kill() async throws {
        let folder = try JarFolder("killed")
        defer { folder.remove() }
        var saved: [String: String] = [:]
        let rounds = LongTests.choose(4, inFull: 200)
        for round in 0..<rounds {
            let reports = try JarReports(folder.reports(0))
            reports.begin(killingAfter: .microseconds(Int.random(in: 0...150_000)))
            await #expect(processExitsWith: .signal(SIGKILL)) {
                try await JarWriter.run("killed", number: 0, saves: .max)
            }
            let lines = await reports.end()
            let model = JarModel(lines, before: saved)
            #expect(model.errors.isEmpty, "round \(round): \(model.errors)")
            #expect(model.saves > 0, "round \(round)")

            // The next process finds no lock and no half-written file, and can read the jar.
            let jar = folder.jar
            try await jar.load()
            let found = Dictionary(uniqueKeysWithValues: jar.cookies.map { ($0.name, $0.value) })
            for name in Set(found.keys).union(model.saved.keys).union(model.unsaved.keys) {
                let allowed = [model.saved[name]] + (model.unsaved[name] ?? [])
                #expect(
                    allowed.contains(found[name]), "round \(round): \(name) is \(found[name] ?? "-") and not \(allowed)"
                )
            }
            try await jar.save()
            saved = found
        }
        print("\(rounds) processes were killed while they saved a jar.")
    }

    @Test("Two processes that save one jar lose none of each other's cookies") func sharing() async throws {
        let folder = try JarFolder("shared")
        defer { folder.remove() }
        let reports = try [JarReports(folder.reports(0)), JarReports(folder.reports(1))]
        for report in reports { report.begin(killingAfter: nil) }
        async let first: Void = Self.writeFirst()
        await #expect(processExitsWith: .success) { try await JarWriter.run("shared", number: 1) }
        await first
        let models = [JarModel(await reports[0].end(), before: [:]), JarModel(await reports[1].end(), before: [:])]
        let jar = folder.jar
        try await jar.load()
        let found = Dictionary(uniqueKeysWithValues: jar.cookies.map { ($0.name, $0.value) })
        for (number, model) in models.enumerated() {
            #expect(model.errors.isEmpty && model.unsaved.isEmpty, "\(model.errors)")
            #expect(model.saves > 0)
            let own = { (name: String) in name.hasPrefix("p\(number)") }
            expectEqual(found.filter { own($0.key) }, model.saved.filter { own($0.key) })
        }
        // A cookie that both have changed has the last change of one of them.
        for name in JarWriter.shared {
            let allowed = models.map { $0.saved[name] }
            #expect(allowed.contains(found[name]), "\(name) is \(found[name] ?? "-") and not \(allowed)")
        }
        print("Two processes saved a jar \(models[0].saves) and \(models[1].saves) times.")
    }

    private static func writeFirst() async {
        await #expect(processExitsWith: .success) { try await JarWriter.run("shared", number: 0) }
    }
}

/// The place of a jar, which the processes of a test find by the number of the process that runs it.
private struct JarFolder {
    let path: String

    init(_ name: String, of process: pid_t = getpid()) throws {
        path = "/tmp/sterna-jar-\(process)-\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func reports(_ number: Int) -> String { path + "/reports-\(number)" }

    var jar: CookieJar { CookieJar(path: path + "/jar.json") }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// A process that changes and saves a jar, and reports what it does: `+ NAME VALUE` and `- NAME` before a change, `saved` after a save.
private enum JarWriter {
    /// The names that all processes change.
    static let shared = ["s0", "s1", "s2"]

    static func run(_ folder: String, number: Int, saves: Int? = nil) async throws {
        let folder = try JarFolder(folder, of: getppid())
        let pipe = open(folder.reports(number), O_WRONLY)
        guard pipe >= 0 else { exit(3) }
        report("process \(getpid())", pipe)
        let jar = folder.jar
        let end = ContinuousClock.now + .seconds(LongTests.choose(1, inFull: 30))
        var value = 0
        let names = (0..<20).map { "p\(number)-\($0)" } + shared
        do {
            for _ in 0..<(saves ?? .max) {
                if saves == nil, ContinuousClock.now > end { break }
                for _ in 0..<Int.random(in: 1...4) {
                    let name = names[Int.random(in: 0..<names.count)]
                    value += 1
                    let cookie = try Cookie(
                        name: name, value: "\(getpid()).\(value)", domain: "a.test",
                        expires: Date().addingTimeInterval(86_400))
                    if Int.random(in: 0..<3) == 0 {
                        report("- \(name)", pipe)
                        jar.remove(cookie)
                    } else {
                        report("+ \(name) \(cookie.value)", pipe)
                        try jar.set(cookie)
                    }
                }
                try await jar.save()
                report("saved", pipe)
            }
        } catch {
            report("error \(error)", pipe)
        }
        close(pipe)
    }

    private static func report(_ line: String, _ pipe: CInt) {
        // Short lines are written as a whole.
        let bytes = Array((line.replacing("\n", with: " ").prefix(500) + "\n").utf8)
        guard write(pipe, bytes, bytes.count) == bytes.count else { exit(4) }
    }
}

/// The reports of a process, by a named pipe.
private final class JarReports: Sendable {
    private let descriptor: CInt
    private let path: String
    private let isOver = Atomic(false)
    private let result = Mutex<[String]>([])
    private let queue = DispatchQueue(label: "jar.reports")

    init(_ path: String) throws {
        unlink(path)
        try #require(mkfifo(path, 0o600) == 0)
        // Open for writing, too, so that it has no end before the process has opened it.
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        self.path = path
    }

    /// Reads the reports; kills the process some time after its first save.
    func begin(killingAfter pause: Duration?) {
        queue.async {
            var bytes: [UInt8] = []
            var deadline: ContinuousClock.Instant?
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                // Checked before reading, so that no line is missed at the end.
                let isOver = self.isOver.load(ordering: .acquiring)
                let count = read(self.descriptor, &chunk, chunk.count)
                if count > 0 {
                    bytes += chunk.prefix(count)
                } else if isOver {
                    break
                } else {
                    usleep(200)
                }
                guard let pause else { continue }
                if deadline == nil, String(decoding: bytes, as: UTF8.self).contains("saved\n") {
                    deadline = .now + pause
                }
                if let end = deadline, ContinuousClock.now >= end, let process = Self.process(bytes) {
                    SternaPlatform.kill(process, SIGKILL)
                    deadline = .now + .seconds(3_600)
                }
            }
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            self.result.withLock { $0 = lines }
        }
    }

    private static func process(_ bytes: [UInt8]) -> pid_t? {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: line, as: UTF8.self).split(separator: " ").last.flatMap { pid_t($0) }
    }

    /// Returns all lines, once the process has ended.
    func end() async -> [String] {
        isOver.store(true, ordering: .releasing)
        await queue.drained()
        close(descriptor)
        unlink(path)
        return result.withLock { $0 }
    }
}

/// The possible contents of a jar after the reports of a process.
private struct JarModel {
    /// The cookies of the last save.
    private(set) var saved: [String: String]
    /// Changes that may or may not have been saved: the values since then, nil for a removal.
    private(set) var unsaved: [String: [String?]] = [:]
    private(set) var saves = 0
    private(set) var errors: [String] = []

    init(_ lines: [String], before: [String: String]) {
        saved = before
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            switch (words.first, words.count) {
            case ("process", 2): break
            case ("+", 3): unsaved[words[1], default: []].append(words[2])
            case ("-", 2): unsaved[words[1], default: []].append(nil)
            case ("saved", 1):
                for (name, values) in unsaved { saved[name] = values.last ?? nil }
                unsaved = [:]
                saves += 1
            default: errors.append(line)
            }
        }
    }
}
