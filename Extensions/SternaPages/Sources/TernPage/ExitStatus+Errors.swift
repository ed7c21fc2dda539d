import Sterna

extension ExitStatus {
    /// Returns the status for an error of the library.
    static func code(for error: SternaError) -> Int32 {
        (error.underlying as? TrustFailure).map(code) ?? code(for: error.kind)
    }
}
