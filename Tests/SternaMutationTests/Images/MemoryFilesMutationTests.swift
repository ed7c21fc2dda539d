#if os(Linux)
import MutationKit
import Testing

@testable import SternaImages
@testable import SternaTestSupport

@Suite("Mutations: the kernel's files about memory") struct MemoryFilesMutationTests {
    static let reader = MutatedReader(
        "memory files",
        seeds: [
            "4:cpu,memory:/docker/1f\n0::/user.slice/a\n", "MemTotal:  24683656 kB\nMemAvailable: 5 kB\n", "4096\n",
            "inactive_file 20\ntotal_inactive_file 40\n",
        ],
        tokens: [
            ":", "/", "..", "memory", "0::", "\n", " kB", "max", "MemTotal:", "MemAvailable:", "inactive_file ", "\t",
            "\0",
            "18446744073709551615",
        ]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        for (_, path) in MemoryFiles.groups(text) {
            let paths = MemoryFiles.ancestors(path)
            guard paths.count <= 65, paths.last == "/", paths.allSatisfy({ !$0.contains("/../") }) else {
                throw MutationFailure("These lead elsewhere: \(paths)")
            }
        }
        let total = MemoryFiles.number(named: "MemTotal", in: text) ?? MemoryFiles.number(text) ?? .max
        let available = MemoryFiles.number(named: "MemAvailable", in: text) ?? 0
        _ = MemoryUse(used: total - min(available, total), limit: total).level
        _ = MemoryUse(used: available, limit: total).level
        return .accepted
    }

    @Test("No mutated file ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await MemoryFilesMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
#endif
