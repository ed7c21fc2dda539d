/// The head of a request as the client sent it: HEADERS with its CONTINUATION, decoded.
struct PeerRequest: Sendable {
    let stream: UInt32
    /// The fields in their order, with the pseudo-header fields.
    let fields: [(String, String)]
    /// Whether the head ends the request.
    let endStream: Bool
    /// The names of the fields that were sent as literals never to be indexed (RFC 7541 §6.2.3), in their order.
    let neverIndexed: [String]
    /// The field block as it was sent, of all its frames.
    let block: [UInt8]
    /// The number of frames of the block.
    let frameCount: Int

    var method: String? { self[":method"] }
    var scheme: String? { self[":scheme"] }
    var authority: String? { self[":authority"] }
    var path: String? { self[":path"] }

    /// The first value of a field, whose name is compared with its case.
    subscript(name: String) -> String? { fields.first { $0.0 == name }?.1 }

    func values(_ name: String) -> [String] { fields.filter { $0.0 == name }.map(\.1) }

    var names: [String] { fields.map(\.0) }
}
