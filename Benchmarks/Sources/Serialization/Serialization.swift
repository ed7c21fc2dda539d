import Foundation
import Sterna

/// What parameters, JSON and header fields cost: `swift run -c release Serialization`.
@main
struct Serialization {
    static func main() throws {
        let mode = CommandLine.arguments.dropFirst().first
        if mode == "requests" { return try requests(count: 200_000) }
        try encoding()
        try json()
        try requests(count: 20_000)
    }

    /// 1,000 pairs in a nested dictionary as a query; the median of 200.
    static func encoding() throws {
        var inner = Parameters()
        for number in 0..<1_000 { inner["key \(number)"] = "value & \(number)" }
        let parameters: Parameters = ["outer": inner]
        for (name, encoder) in [
            ("AFNetworking 4", QueryEncoder.afnetworking4), ("AFNetworking 2", .afnetworking2), ("WHATWG", .whatwgForm),
        ] {
            var length = 0
            let time = try median(of: 200) { length = try encoder.encodedBytes(parameters).count }
            print("query, 1,000 nested pairs, \(name): \(milliseconds(time)) ms, \(length) bytes")
        }
    }

    /// A document of 10 MB as a tree, beside JSONSerialization on the same bytes in turn; medians of 9.
    static func json() throws {
        let data = document(bytes: 10 << 20)
        let body = Bytes(bytes: data)
        var ours: [Duration] = []
        var theirs: [Duration] = []
        for _ in 0..<9 {
            ours.append(try time { _ = try JSON(parsing: body.readableBytesView) })
            theirs.append(try time { _ = try JSONSerialization.jsonObject(with: data) })
        }
        let (one, other) = (ours.sorted()[4], theirs.sorted()[4])
        let ratio = (one / other * 100).rounded() / 100
        print("JSON tree, \(data.count) bytes: \(milliseconds(one)) ms, JSONSerialization \(milliseconds(other)) ms: \(ratio)")
    }

    /// Requests that are made and not sent.
    static func requests(count: Int) throws {
        let session = try Session(baseURL: "https://api.example.com/v1")
        let draft = RequestDraft.get("users/1")
        let one = try session.request(for: draft)
        let time = try time {
            for _ in 0..<count { _ = try session.request(for: draft) }
        }
        print("default request, \(one.headers.count) header fields: \(milliseconds(time / count * 1_000)) us")
    }

    private static func document(bytes: Int) -> Data {
        var text = "["
        var number = 0
        while text.utf8.count < bytes {
            if number > 0 { text += "," }
            text += """
                {"id":\(number),"name":"Arctic tern \(number)","weight":\(Double(number % 200) + 0.5),"ringed":\(number % 3 == 0),\
                "tags":["sea","bird","ünïcode \\u00e9"],"position":{"lat":\(Double(number % 180) - 90),"lon":null}}
                """
            number += 1
        }
        return Data((text + "]").utf8)
    }

    private static func median(of count: Int, _ work: () throws -> Void) rethrows -> Duration {
        try (0..<count).map { _ in try time(work) }.sorted()[count / 2]
    }

    private static func time(_ work: () throws -> Void) rethrows -> Duration {
        try ContinuousClock().measure(work)
    }

    private static func milliseconds(_ duration: Duration) -> String {
        String(format: "%.3f", duration / .milliseconds(1))
    }
}
