import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization

extension Session {
    /// The pieces of a file that the server sends for several ranges of bytes (RFC 9110, 14), in one request.
    ///
    ///     for try await piece in api.ranges([0..<1_000, 50_000..<51_000], of: .get("film.mp4")) {
    ///         print(piece.range as Any, piece.completeLength as Any)
    ///         for try await bytes in piece.body { … }
    ///     }
    ///
    /// Read the positions: a server may merge ranges, leave some out, and send them in another order. It may also send one piece, or
    /// the whole file, as `range` then shows; leave the loop to give it up. Ranges that touch or overlap are requested as one. The
    /// request is sent when the sequence is iterated, each time anew, and its connection is given up with the iterator and the
    /// pieces. With an `If-Range` field, a file that has changed is sent whole.
    ///
    /// Throws `unacceptableStatus` for a status other than 200 and 206, with the server's message: 416 if no range is within the
    /// file. Throws `malformedResponse` for pieces that overlap or were not requested, that belong to files of different lengths, or
    /// whose bytes are not as many as their positions; and the errors of ``SternaCore/Response/parts``.
    ///
    /// - Parameters:
    ///   - ranges: positions in bytes, one range or more; none may be empty or negative.
    ///   - draft: a GET request, without a Range field.
    public func ranges(
        _ ranges: [Range<Int64>], of draft: RequestDraft
    ) -> some AsyncSequence<ResponsePart, any Error> & Sendable {
        RangedParts(plan: plan, draft: draft, ranges: ranges)
    }
}

/// The pieces of a file; each iterator sends a request of its own.
struct RangedParts: AsyncSequence, Sendable {
    typealias Element = ResponsePart
    let plan: SessionPlan
    let draft: RequestDraft
    let ranges: [Range<Int64>]

    func makeAsyncIterator() -> Iterator { Iterator(parts: self) }

    /// Reads piece by piece.
    struct Iterator: AsyncIteratorProtocol {
        private let parts: RangedParts
        private var reader: PartReader?

        init(parts: RangedParts) { self.parts = parts }

        mutating func next() async throws -> ResponsePart? {
            if let reader { return try await reader.nextPart() }
            let opened = try await parts.open()
            reader = opened
            return try await opened.nextPart()
        }
    }

    private func open() async throws -> PartReader {
        let check = try RangeCheck(ranges)
        guard draft.method == .get, draft.headers["Range"] == nil else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "Ranges can be requested by GET only, and the request must not have a Range field itself. Nothing was sent."
            )
        }
        var next = draft
        next.headers["Range"] = check.fieldValue
        let streamed = try await plan.open(next)
        do {
            return try await reader(of: streamed, check)
        } catch {
            streamed.response.body.cancel()
            throw plan.describe(error, streamed.request, answeredBy: streamed.response)
        }
    }

    private func reader(of streamed: StreamedResponse, _ check: RangeCheck) async throws -> PartReader {
        let response = streamed.response
        let framing: PartFraming
        let placing: PartReader.Placing
        switch response.status.code {
        case 200:
            // The length describes the bytes only if they were not decoded.
            let length = response.body.length
            framing = PartFraming(single: response)
            placing = { _, _ throws(SternaError) in
                RangeCheck.Place(range: length.map { 0..<Swift.max(0, $0) }, completeLength: length)
            }
        case 206:
            try refuseCoding(streamed)
            placing = { fields, check throws(SternaError) in try check.accept(fields) }
            if response.mediaType?.essence == "multipart/byteranges" {
                var limits = PartLimits()
                // Servers merge ranges, but do not split them.
                limits.parts = check.requested.count
                framing = try PartFraming(multipart: response, limits)
            } else {
                framing = PartFraming(single: response)
            }
        default: throw await refusal(of: response)
        }
        return PartReader(
            response.body, framing, check: check, placing: placing,
            explain: { [plan] in plan.describe($0, streamed.request, answeredBy: response.withoutBody) },
            onRelease: {
                streamed.response.body.cancel()
                streamed.recorder?.requestEnded()
            })
    }

    /// Throws for parts of compressed bytes that the request did not ask for: nothing can decompress them.
    private func refuseCoding(_ streamed: StreamedResponse) throws(SternaError) {
        guard !streamed.request.headers.contains(.acceptEncoding), ResumeRule.hasCoding(streamed.response.section)
        else { return }
        throw SternaError(
            .malformedResponse, phase: .read,
            "The server sent parts of the compressed file, although the request accepted no content coding. "
                + "The server's support for ranges is faulty.")
    }

    private func refusal(of response: Response) async -> SternaError {
        let body = await BodyPrefix.read(response.body, on: plan.settings.network.engine.loopClock).bytes
        guard !Task.isCancelled else { return SternaError.cancelled(phase: .read) }
        let validation = ResponseValidation(statuses: [200, 206])
        return validation.check(response, body: body)
            ?? SternaError(.unacceptableStatus, phase: .decode, "The server answered \(response.status.code).")
    }
}
