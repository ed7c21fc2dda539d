import HTTPTypes
import SternaCore

/// Decides which digest fields cover the content of a response (RFC 9530), as functions of values.
enum DigestRule {
    /// Returns the fields whose digests the content of a response must have.
    ///
    /// Content-Digest covers the content of the message. Repr-Digest covers the whole representation, of which a 206 has a part.
    /// After a change of state it may be that of the changed resource (RFC 9530, 3.1), unless Content-Location says that the
    /// response contains it (3.2). After HEAD, and in a 304, both fields describe content that is not sent.
    static func sources(
        _ method: HTTPRequest.Method, status: Int, hasContentLocation: @autoclosure () -> Bool
    ) -> [ExpectedDigest.Source] {
        guard method != .head, status >= 200, status != 204, status != 205, status != 304 else { return [] }
        if status == 206 { return [.contentField] }
        let mayDescribeTarget = [.put, .patch, .delete].contains(method) && status < 400
        return mayDescribeTarget && !hasContentLocation() ? [.contentField] : [.contentField, .representationField]
    }

    /// Returns whether a response to a request with ``DigestOptions/require`` must have a digest that covers its content.
    static func isRequired(for response: Response, to request: Request) -> Bool {
        guard (200..<300).contains(response.status.code) else { return false }
        // Only downloads have a name for the file; they verify the digest of the whole.
        let isVerifiedLater =
            response.status.code == 206 && request.state.choices.savedName != nil
            && !response.section.contains(.contentEncoding)
            && !DigestField.digests(response.section[values: DigestField.representation], .representationField).isEmpty
        return !isVerifiedLater
    }

    /// Returns the value of Want-Content-Digest and Want-Repr-Digest (RFC 9530, 4).
    static func preferences(_ algorithms: [DigestAlgorithm]) -> String {
        algorithms.map { "\($0.rawValue)=10" }.joined(separator: ", ")
    }
}
