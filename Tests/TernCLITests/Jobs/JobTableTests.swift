import SternaPlatform
import Testing

@testable import SternaTestSupport
@testable import TernCLI

private let curlPath = "/usr/bin/curl"

/// The jobs of docs/Tern.md: the programs send the same requests, write the same output and files, and end with the same status.
///
/// The first line for `tern` is compared with its other lines, with curl, and with HTTPie where STERNA_HTTPIE names that program
/// (`scripts/compare-programs` installs it). `JobDifference` lists what may differ, and must differ.
@Suite("tern: the jobs of docs/Tern.md", .timeLimit(.minutes(5)), .enabled(if: access(curlPath, X_OK) == 0))
struct JobTableTests {
    private static let httpie: String? = ProcessInfo.processInfo.environment["STERNA_HTTPIE"].flatMap {
        $0.isEmpty ? nil : $0
    }

    /// Where the programs are found.
    private static let searchPath: String = {
        let folders = ([TernProcess.path, curlPath] + (httpie.map { [$0] } ?? [])).map { path in
            path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        }
        return (folders + ["/usr/bin", "/bin"]).joined(separator: ":")
    }()

    @Test("The table has at least 60 jobs, each with a name of its own") func size() throws {
        let jobs = try JobTable.read()
        #expect(jobs.count >= 60, "\(jobs.count)")
        expectEqual(Set(jobs.map(\.name)).count, jobs.count)
        for difference in JobDifference.all {
            #expect(jobs.contains { $0.name == difference.job }, "the table has no job “\(difference.job)”")
        }
    }

    @Test("The programs do the same", .timeLimit(.minutes(5))) func comparison() async throws {
        let trust = try JobStage.Trust()
        var rest = try JobTable.read()[...]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                if let job = rest.popFirst() { group.addTask { try await Self.compare(job, trust: trust) } }
            }
            while try await group.next() != nil {
                if let job = rest.popFirst() { group.addTask { try await Self.compare(job, trust: trust) } }
            }
        }
    }

    private static func compare(_ job: JobTable.Job, trust: JobStage.Trust) async throws {
        var reference: JobStage.Outcome?
        for command in job.commands where command.program != .httpie || httpie != nil {
            let outcome = try await JobStage.outcome(of: command, in: job, trust: trust, searchPath: searchPath)
            guard let expected = reference else {
                reference = outcome
                continue
            }
            expectSame(outcome, expected, job.name, command)
        }
    }

    private static func expectSame(
        _ found: JobStage.Outcome, _ expected: JobStage.Outcome, _ job: String, _ command: JobTable.Command
    ) {
        var aspects: Set<JobDifference.Aspect> = []
        var texts: [String] = []
        func add(_ aspect: JobDifference.Aspect, _ found: String, _ expected: String) {
            aspects.insert(aspect)
            texts.append("\(aspect):\n\(found)\ntern's:\n\(expected)\n")
        }
        if found.status != expected.status { add(.status, "\(found.status)", "\(expected.status)") }
        if found.output != expected.output { add(.output, shown(found.output), shown(expected.output)) }
        if found.received != expected.received {
            add(.request, found.received.joined(separator: "\n"), expected.received.joined(separator: "\n"))
        }
        for name in Set(found.files.keys).union(expected.files.keys).sorted()
        where found.files[name] != expected.files[name] {
            add(.files, "\(name): \(shown(found.files[name]))", shown(expected.files[name]))
        }
        let allowed = JobDifference.all.first { $0.job == job && $0.program == command.program }
        let reason = allowed.map { " (known: \($0.aspects.map(\.rawValue).sorted()), since \($0.reason))" } ?? ""
        #expect(
            aspects == allowed?.aspects ?? [],
            "\(job)\(reason)\n\(command.line)\n\(texts.joined())errors:\n\(found.errors)\ntern's:\n\(expected.errors)")
    }

    private static func shown(_ bytes: [UInt8]?) -> String {
        guard let bytes else { return "none" }
        let text = String(decoding: bytes.prefix(600), as: UTF8.self).debugDescription
        return bytes.count > 600 ? "\(text)… (\(bytes.count) bytes)" : text
    }
}
