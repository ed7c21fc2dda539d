import Foundation
import Sterna

/// Runs other programs.
enum Program {
    /// Runs a program, and returns its status; throws if it cannot be run.
    @discardableResult
    static func run(_ name: String, _ arguments: [String]) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { process in
                continuation.resume(
                    returning: process.terminationReason == .exit
                        ? process.terminationStatus : -process.terminationStatus)
            }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }
}
