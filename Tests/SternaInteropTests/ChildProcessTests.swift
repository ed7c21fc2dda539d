import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Interop: programs that tests start")
struct ChildProcessTests {
    @Test("A script can be run at once, whatever else is being started")
    func scripts() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sterna\(UInt64.random(in: 0 ... .max))")
            .path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<6 {
                group.addTask {
                    for number in 0..<60 {
                        let path = "\(folder)/\(task)-\(number)"
                        try ChildProcess.write(script: "#!/bin/sh\ncat\n", to: path)
                        let output = try await ChildProcess.run([path], input: [1, 2, 3])
                        expectEqual(output, [1, 2, 3])
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
