import ArgumentParser
import Sterna

/// What the response's status means for the exit status.
enum StatusCheck: Hashable, Sendable {
    /// Nothing.
    case none
    /// An error from 400 on, in place of the response.
    case fail
    /// An error from 400 on, after the response.
    case failWithBody
    /// An exit status of 4 from 400, of 5 from 500, and of 3 for a redirect that is not followed, after the response.
    case byClass

    /// Whether a status from 400 on is an error.
    var fails: Bool { self == .fail || self == .failWithBody }

    /// Returns the exit status that HTTPie has for a status code.
    static func exitStatus(_ code: Int, follows: Bool) -> Int32 {
        switch code {
        case 300..<400: follows ? ExitStatus.success : 3
        case 400..<500: 4
        case 500..<600: 5
        default: ExitStatus.success
        }
    }
}
