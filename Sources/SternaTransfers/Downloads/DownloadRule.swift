import Sterna
import SternaCore

/// Decides whether another attempt is worthwhile after failures that only downloads have. Functions of values.
enum DownloadRule {
    /// The number of files with another digest than the server's own after which a transfer ends.
    static let mostDamaged = 3

    /// Whether a later attempt may succeed; nil for failures that all transfers have.
    static func passes(_ error: SternaError) -> Bool? {
        if let verdict = error.underlying as? DigestVerdict { return verdict.isWorthAnotherAttempt }
        // A success without the file: the file may be made later, or the rest of one that was there may come back.
        guard error.kind == .unacceptableStatus, (200..<300).contains(error.status) else { return nil }
        return error.status == 202 || error.resumeData != nil
    }

    /// Decides about a file with a wrong digest.
    ///
    /// - Parameter earlier: the number of attempts before that ended with one.
    static func decide(_ mismatch: DigestMismatch, earlier: Int) -> DigestVerdict {
        guard mismatch.isCallersAlone else { return earlier + 1 < mostDamaged ? .damaged : .damagedAgain }
        guard mismatch.isJoined else { return .another }
        return earlier == 0 ? .joined : .joinedAgain
    }

    /// Returns the error of an attempt with what a wrong digest means for the transfer.
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

/// What a wrong digest means for a transfer.
enum DigestVerdict: Error, Sendable, Hashable {
    /// Bytes were lost or changed on the way.
    case damaged
    /// The same, too often.
    case damagedAgain
    /// The server has another file than the program expects, which no attempt changes.
    case another
    /// The parts may be of different files.
    case joined
    /// The same, after the file was fetched anew.
    case joinedAgain

    var isWorthAnotherAttempt: Bool { self == .damaged || self == .joined }

    /// What follows, for people.
    var consequence: String {
        switch self {
        case .damaged: "The transfer begins anew."
        case .damagedAgain: "The transfer was given up after \(DownloadRule.mostDamaged) files with a wrong digest."
        case .another: "The transfer was given up: the file came in one piece, and would be the same again."
        case .joined: "The file was joined of several answers; the transfer begins anew, once."
        case .joinedAgain: "The transfer was given up: the file had a wrong digest also when it was fetched anew."
        }
    }
}
