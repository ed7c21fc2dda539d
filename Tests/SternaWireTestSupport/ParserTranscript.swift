import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

/// A parser's results for some bytes, in a form that does not depend on the pieces.
struct ParserTranscript: Equatable, Sendable {
    var interim: [Int] = []
    var status: Int?
    var minorVersion: Int?
    var fields: [String] = []
    var declaredLength: Int64?
    var isChunked = false
    var body: [UInt8] = []
    var trailers: [String]?
    var hasEnded = false
    var isPersistent = false
    var hasLeftover = false
    var failure: SternaError.Kind?

    var text: String { String(decoding: body, as: UTF8.self) }

    /// Feeds pieces to a new parser one after another.
    ///
    /// - Parameter closes: whether the connection ends after the last piece.
    static func of(
        _ pieces: some Sequence<[UInt8]>, isHeadRequest: Bool = false, closes: Bool = false, limits: Limits = Limits()
    ) -> ParserTranscript {
        var parser = ResponseParser(limits: limits)
        parser.begin(isHeadRequest: isHeadRequest)
        var transcript = ParserTranscript()
        for piece in pieces {
            parser.append(Bytes(bytes: piece))
            guard transcript.failure == nil else { continue }
            do throws(ParseFailure) {
                while let event = try parser.next() { transcript.record(event) }
            } catch {
                transcript.failure = error.kind
            }
        }
        if closes, transcript.failure == nil, let event = parser.finish() { transcript.record(event) }
        transcript.isPersistent = parser.isPersistent
        transcript.hasLeftover = transcript.hasEnded && parser.hasLeftover
        return transcript
    }

    static func of(
        _ text: String, isHeadRequest: Bool = false, closes: Bool = false, limits: Limits = Limits()
    ) -> ParserTranscript {
        of([Array(text.utf8)], isHeadRequest: isHeadRequest, closes: closes, limits: limits)
    }

    private mutating func record(_ event: ResponseParser.Event) {
        switch event {
        case .informational(let head): interim.append(head.status)
        case .head(let head):
            status = head.status
            minorVersion = head.summary.minorVersion
            fields = Self.lines(head.section.fields)
            declaredLength = head.contentLength
            isChunked = head.isChunked
        case .body(let bytes): body += Array(bytes.readableBytesView)
        case .end(let trailers):
            hasEnded = true
            self.trailers = trailers.map(Self.lines)
        }
    }

    static func lines(_ fields: HTTPFields) -> [String] { fields.map { "\($0.name.rawName): \($0.value)" } }
}

/// A row of a table: bytes from a server, and what is wrong with them.
struct ParserRow: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var failure: SternaError.Kind?

    init(_ name: String, _ text: String, _ failure: SternaError.Kind? = nil) {
        self.name = name
        self.text = text
        self.failure = failure
    }

    var testDescription: String { name }
}
