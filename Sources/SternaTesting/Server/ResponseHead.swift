import NIOCore
import NIOHTTP1
import SternaPlatform
import Synchronization

/// Writes response heads (RFC 9112 §4). It replaces NIO's encoder, which frames responses to HEAD as if they had a body and cannot
/// write faulty responses.
struct ResponseHead {
    enum Framing {
        case none
        case length(Int)
        case chunked
        case untilClose
    }

    let status: Int
    let reason: String?
    let headers: ServerHeaders
    let framing: Framing
    let keepAlive: Bool
    let isHTTP10: Bool

    func write(to buffer: inout ByteBuffer) {
        if status == 200 && reason == nil {
            buffer.writeStaticString("HTTP/1.1 200 OK\r\n")
        } else {
            let phrase = reason ?? HTTPResponseStatus(statusCode: status).reasonPhrase
            buffer.writeString("HTTP/1.1 \(status) \(Self.cleaned(phrase))\r\n")
        }
        if !headers.contains("Date") { buffer.writeString(ServerClock.shared.dateLine()) }
        if !headers.contains("Server") { buffer.writeStaticString("Server: SternaTesting\r\n") }
        for field in headers {
            buffer.writeString(Self.cleaned(field.name))
            buffer.writeStaticString(": ")
            buffer.writeString(Self.cleaned(field.value))
            buffer.writeStaticString("\r\n")
        }
        switch framing {
        case .length(let count) where !headers.contains("Content-Length"):
            buffer.writeStaticString("Content-Length: ")
            buffer.writeString(String(count))
            buffer.writeStaticString("\r\n")
        case .chunked where !headers.contains("Transfer-Encoding"):
            buffer.writeStaticString("Transfer-Encoding: chunked\r\n")
        default:
            break
        }
        if !headers.contains("Connection") {
            if !keepAlive {
                buffer.writeStaticString("Connection: close\r\n")
            } else if isHTTP10 {
                buffer.writeStaticString("Connection: keep-alive\r\n")
            }
        }
        buffer.writeStaticString("\r\n")
    }

    /// Replaces control characters other than tabs with spaces: values come partly from the request, and must not begin new lines.
    static func cleaned(_ text: String) -> String {
        let isControl: (UInt8) -> Bool = { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
        guard text.utf8.contains(where: isControl) else { return text }
        return String(decoding: text.utf8.map { isControl($0) ? 0x20 : $0 }, as: UTF8.self)
    }
}

/// The `Date` field line (RFC 9110 §5.6.7), made once a second.
final class ServerClock: Sendable {
    static let shared = ServerClock()

    private let cached = Mutex((second: Int.min, date: "", line: ""))

    func dateLine() -> String { now().line }

    func date() -> String { now().date }

    private func now() -> (date: String, line: String) {
        let second = max(0, Int(Date().timeIntervalSince1970))
        return cached.withLock { cached in
            if cached.second != second {
                let date = Self.format(second: second)
                cached = (second, date, "Date: \(date)\r\n")
            }
            return (cached.date, cached.line)
        }
    }

    /// Formats a Unix time as IMF-fixdate.
    static func format(second: Int) -> String {
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let day = second / 86_400
        let time = second % 86_400
        // Days are counted from 1 March of the year 0, so that the leap day is the last day of a year.
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(weekdays[day % 7]), \(two(dayOfMonth)) \(months[month - 1]) \(year) "
            + "\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60)) GMT"
    }
}
