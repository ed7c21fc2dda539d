import NIOCore

extension BuiltInRoutes {
    /// Bodies of several parts (RFC 2046, 5.1).
    static let parts: [ServerRoute] = [
        now(["GET"], "/parts/{n}") { request in
            let count = try number("n", of: request, in: 0...10_000)
            return .multipart(
                (0..<count).map { number in
                    .text("{\"id\": \(number)}", mediaType: "application/json", headers: ["Content-ID": "<\(number)>"])
                })
        },
        now(["GET"], "/ranges/{n}") { request in
            let count = try number("n", of: request, in: 0...(16 << 20))
            let letters = (0..<count).map { UInt8(0x61 + $0 % 26) }
            return .ranges(of: letters, for: request, headers: ["ETag": "\"range\(count)\""])
        },
        now(["GET"], "/frames") { request in
            let count = try number(query: "count", of: request, default: Int.max, in: 0...Int.max)
            let rate = try seconds(request.query("rate"), default: 10, atMost: 10_000)
            guard rate > 0 else { throw badRequest("rate must be above 0") }
            return frames(count: count, rate: rate)
        },
    ]

    /// Returns frames as cameras send them, one by one; each is complete by its Content-Length before the delimiter follows.
    private static func frames(count: Int, rate: Double) -> ServerResponse {
        let boundary = ServerResponse.boundary
        return ServerResponse(
            headers: ["Content-Type": "multipart/x-mixed-replace; boundary=\(boundary)"],
            body: .stream(length: nil) { writer in
                var sent = 0
                while sent < count {
                    if sent > 0 { try await Task.sleep(for: .seconds(1 / rate)) }
                    let frame = Array("frame \(sent)".utf8)
                    let headers: ServerHeaders = ["Content-Type": "text/plain", "Content-Length": "\(frame.count)"]
                    try await writer.write(ServerResponse.partLead(headers, boundary, isFirst: sent == 0) + frame)
                    sent += 1
                }
                try await writer.write(ServerResponse.partEnd(boundary, isFirst: sent == 0))
            })
    }
}
