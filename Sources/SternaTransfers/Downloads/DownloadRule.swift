import Sterna
import SternaCore

/// Decides whether another attempt follows failures that only downloads have. Functions of values.
enum DownloadRule {
    /// The number of files that do not match the server's own digest after which a transfer fails.
    static let mostDamaged = 3

    /// Returns whether a later attempt may succeed; nil for failures that all transfers have.
    static func isTransient(_ error: SternaError) -> Bool? {
        if let verdict = error.underlying as? DigestVerdict { return verdict.isWorthAnotherAttempt }
        // A successful response without the file: the server may create it later, or send the rest of a partial file later.
        guard error.kind == .unacceptableStatus, (200..<300).contains(error.status) else { return nil }
        return error.status == 202 || error.resumeData != nil
    }

    /// Decides about a file with a wrong digest.
    ///
    /// - Parameter earlier: the number of earlier attempts that ended with a wrong digest.
    static func decide(_ mismatch: DigestMismatch, earlier: Int) -> DigestVerdict {
        guard mismatch.isCallersAlone else { return earlier + 1 < mostDamaged ? .damaged : .damagedAgain }
        guard mismatch.isJoined else { return .another }
        return earlier == 0 ? .joined : .joinedAgain
    }

    /// Returns the error of an attempt; a wrong digest adds its consequence for the transfer.
    static func judged(_ error: SternaError, _ attempts: [TransferAttempt]) -> SternaError {
        guard let mismatch = error.underlying as? DigestMismatch else { return error }
        let kind = SternaError.Kind.digestMismatch.rawValue
        let verdict = decide(mismatch, earlier: attempts.count { $0.failure?.kind == kind })
        var judged = error
        judged.underlying = verdict
        judged.detail += " \(verdict.consequence)"
        return judged
    }
}

/// The consequence of a wrong digest.
enum DigestVerdict: Error, Sendable, Hashable {
    /// Bytes were lost or changed on the way.
    case damaged
    /// The same, for the last permitted time.
    case damagedAgain
    /// The server has another file than the program expects; another attempt would fetch the same.
    case another
    /// The file was joined from several responses, which may belong to different files.
    case joined
    /// The same, after the file was fetched again.
    case joinedAgain

    var isWorthAnotherAttempt: Bool { self == .damaged || self == .joined }

    /// The consequence in words.
    var consequence: String {
        switch self {
        case .damaged: "The transfer restarts."
        case .damagedAgain: "The transfer was given up after \(DownloadRule.mostDamaged) files with a wrong digest."
        case .another: "The transfer was given up: the file came in one response, and would be the same again."
        case .joined: "The file was joined from several responses; the transfer restarts once."
        case .joinedAgain: "The transfer was given up: the file had a wrong digest even after it was fetched again."
        }
    }
}
