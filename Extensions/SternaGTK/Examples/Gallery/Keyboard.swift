import Foundation
import Sterna

/// Presses keys as the user does, by xdotool.
enum Keyboard {
    static func press(_ keys: [String], in title: String) async throws {
        try await run(["search", "--name", "^\(title)$", "windowfocus", "--sync", "%1"])
        for key in keys {
            try await run(["key", key])
            try await Task.sleep(for: .milliseconds(40))
        }
    }

    private static func run(_ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["xdotool"] + arguments
        process.standardOutput = FileHandle.nullDevice
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else {
            throw SternaError(
                .invalidRequest, phase: .prepare, "xdotool \(arguments.joined(separator: " ")) has failed.")
        }
    }
}
