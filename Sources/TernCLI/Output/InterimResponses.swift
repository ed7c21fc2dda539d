import HTTPTypes
import Sterna
import Synchronization

/// The interim responses of a request (RFC 9110, 15.2), whose heads `-i` shows before that of the next response, as curl does.
final class InterimResponses: Sendable {
    /// A server may send any number of them.
    private static let most = 100

    private let received = Mutex<[InformationalResponse]>([])

    /// Adds a response; may be called on an event loop.
    func add(_ response: InformationalResponse) {
        received.withLock { if $0.count < Self.most { $0.append(response) } }
    }

    /// Writes the heads of all responses since the last call, or adds them to those of the file. Throws `OutputError`.
    func show(before response: Response, _ style: OutputStyle, _ heads: FileHeads?) throws(OutputError) {
        let all = received.withLock { received in
            defer { received = [] }
            return received
        }
        for interim in all {
            var head = Response(status: HTTPResponse.Status(code: interim.status), url: response.url)
            head.version = response.version
            head.headers = interim.headers
            if let heads {
                var plain = style
                (plain.isColoured, plain.isTerminal, plain.showsSecrets) = (false, false, true)
                heads.add((HeadText(style: plain).response(head) + "\n").replacing("\n", with: "\r\n"))
            } else if style.parts.contains(.responseHead) {
                try Descriptor.standardOutput.write(HeadText(style: style).response(head) + "\n")
            }
        }
    }
}
