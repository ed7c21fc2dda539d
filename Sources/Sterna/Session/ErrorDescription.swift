import SternaCore

/// Describes an error that left the chain of a call as one of the library.
enum ErrorDescription {
    /// Returns the error with the particulars of its request, and of the response that came, where it names none.
    static func describe(
        _ error: any Error, of request: Request, answeredBy response: Response? = nil
    ) -> SternaError {
        var known = SternaError.wrap(
            error, as: .invalidRequest, phase: .prepare, "An interceptor failed: \(CodingReason.text(error))")
        if known.method == nil { known.method = request.method }
        if let response {
            known.requestSent = true
            if known.response == nil { known.response = response }
        }
        return known.at(request)
    }
}
