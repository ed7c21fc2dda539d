import HTTPTypes
import NIOCore
import Sterna
import SternaCore
import SternaSerialization

/// Fetches one resource within the limits.
struct ResourceFetcher: Sendable {
    let session: Session
    let options: PageOptions
    let budget: ByteBudget
    /// Called with the number of bytes of each piece.
    let received: @Sendable (Int) -> Void

    /// Sends a request and reads its response.
    ///
    /// Throws `unacceptableStatus` for a status outside 200–299, `limitExceeded` for a body that is too large, and what the session throws.
    func fetch(_ draft: RequestDraft) async throws -> FetchedResource {
        try await session.withResponse(to: draft) { response in
            guard (200...299).contains(response.status.code) else {
                throw SternaError(
                    .unacceptableStatus, phase: .read, "The server answered with status \(response.status.code).")
            }
            if let length = response.body.length, length > Int64(options.maxResourceBytes) { throw tooLarge }
            var body = Bytes()
            for try await piece in response.body {
                guard piece.count <= options.maxResourceBytes - body.count else { throw tooLarge }
                guard budget.take(piece.count) else { throw Self.overBudget(options) }
                body.writeImmutableBuffer(piece)
                received(piece.count)
            }
            return FetchedResource(
                url: response.url, redirects: response.redirects.map(\.url), mediaType: response.mediaType, body: body)
        }
    }

    private var tooLarge: SternaError {
        SternaError(.limitExceeded, phase: .read, "The body has more than \(options.maxResourceBytes) bytes.")
    }

    static func overBudget(_ options: PageOptions) -> SternaError {
        SternaError(
            .limitExceeded, phase: .read,
            "The page and its resources have more than \(options.maxTotalBytes) bytes in all.")
    }
}
