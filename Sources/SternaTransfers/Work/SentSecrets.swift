import Sterna
import SternaCore
import SternaPlatform
import Synchronization

/// Records the secrets in a transfer's requests, so that they are neither stored nor shown if the server repeats them. Also counts
/// the requests.
final class SentSecrets: Sendable {
    /// The last secrets, the newest at the end.
    private let values = Mutex<[String]>([])

    /// The minimum length of a hidden secret in bytes: shorter ones would hide parts of other words.
    private static let shortest = 4

    /// The maximum number of recorded secrets. Each request has a new signature.
    private static let most = 64

    private let count = Atomic(0)

    /// Returns the number of requests since the last call.
    func takeCount() -> Int { count.exchange(0, ordering: .relaxed) }

    func note(_ request: Request) {
        count.wrappingAdd(1, ordering: .relaxed)
        let marked = Set(request.options[SecretHeadersKey.self].map { $0.lowercased() })
        for field in request.headers {
            let name = field.name.canonicalName
            if Redaction.isSecretHeader(name) || marked.contains(name) { note(field.value, isCookie: name == "cookie") }
        }
    }

    /// Records a field's value, and the parts that a server may repeat separately.
    private func note(_ value: String, isCookie: Bool) {
        var parts = [value]
        if isCookie {
            parts += value.split(separator: ";").compactMap { pair in
                pair.firstIndex(of: "=").map { String(pair[pair.index(after: $0)...]) }
            }
        } else if let blank = value.firstIndex(of: " ") {
            let rest = String(value[value.index(after: blank)...])
            parts.append(rest)
            // The name and password of Basic (RFC 7617, 2).
            if value[..<blank].lowercased() == "basic", let data = Data(base64Encoded: rest) {
                let pair = String(decoding: data, as: UTF8.self)
                parts.append(pair)
                if let colon = pair.firstIndex(of: ":") { parts.append(String(pair[pair.index(after: colon)...])) }
            }
        }
        let new = parts.filter { $0.utf8.count >= Self.shortest }
        values.withLock { values in
            values.removeAll { new.contains($0) }
            values += new
            values.removeFirst(max(0, values.count - Self.most))
        }
    }

    /// The secrets, the longest first, so that none hides only a part of another.
    private var longestFirst: [String] {
        values.withLock { $0 }.sorted { ($1.utf8.count, $1) < ($0.utf8.count, $0) }
    }

    /// Returns a text with marks in place of the secrets.
    func hidden(in text: String) -> String {
        longestFirst.reduce(text) { text, secret in
            // By bytes, since the comparison of characters treats different bytes as equal.
            guard let found = Self.replaced(secret, in: Array(text.utf8)) else { return text }
            return String(decoding: found, as: UTF8.self)
        }
    }

    /// Returns data with marks in place of the secrets.
    func hidden(in data: Data) -> Data {
        longestFirst.reduce(data) { data, secret in
            Self.replaced(secret, in: Array(data)).map { Data($0) } ?? data
        }
    }

    /// Returns bytes with the mark in place of a secret; nil if they do not contain it.
    private static func replaced(_ secret: String, in bytes: [UInt8]) -> [UInt8]? {
        let wanted = Array(secret.utf8)
        var (kept, position, isFound) = ([UInt8](), 0, false)
        while position < bytes.count {
            if bytes[position] == wanted[0], bytes[position...].starts(with: wanted) {
                kept += Redaction.mark.utf8
                position += wanted.count
                isFound = true
            } else {
                kept.append(bytes[position])
                position += 1
            }
        }
        return isFound ? kept : nil
    }
}
