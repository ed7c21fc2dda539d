import Foundation
import Sterna

/// What parameters, JSON, forms and header fields cost: `swift run -c release Serialization`.
@main
struct Serialization {
    static func main() async throws {
        let mode = CommandLine.arguments.dropFirst().first
        if mode == "requests" { return try requests(count: 200_000) }
        try encoding()
        try json()
        try await forms()
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
        print(
            "JSON tree, \(data.count) bytes: \(milliseconds(one)) ms, JSONSerialization \(milliseconds(other)) ms: \(ratio)"
        )
    }

    /// Forms of many small fields, and of many parts that are read to memory; medians of 9.
    static func forms() async throws {
        for count in [10_000, 100_000] {
            let time = try median(of: 9) {
                var form = MultipartForm()
                for number in 0..<count { form.append("value", name: "field\(number)") }
                _ = try form.body()
            }
            print("form, \(count) small fields: \(milliseconds(time)) ms")
        }
        let data = Data(repeating: 0x61, count: 1_024)
        var times: [Duration] = []
        var length = 0
        for _ in 0..<9 {
            let start = ContinuousClock.now
            var form = MultipartForm()
            for number in 0..<10_000 { form.append(data, name: "part\(number)", fileName: "f") }
            guard let body = try form.body() else { return }
            var reader = BodyReader(body)
            var builder = BodyBuilder(memoryLimit: .max)
            while let piece = try await reader.next() { try builder.append(piece) }
            length = Int(builder.length)
            times.append(ContinuousClock.now - start)
        }
        let rate = Double(length) / (times.sorted()[4] / .seconds(1)) / 1_000_000
        print("form, 10,000 parts of 1 KiB to memory: \(Int(rate)) MB/s")
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
