import SternaCore

/// Returns the kind of the error that work ends with; nil if it succeeds.
func failure(of work: Task<some Sendable, any Error>) async -> SternaError.Kind? {
    do {
        _ = try await work.value
        return nil
    } catch {
        return (error as? SternaError)?.kind
    }
}
