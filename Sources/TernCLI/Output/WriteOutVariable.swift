import HTTPTypes
import Sterna

/// The variables of `--write-out`, by curl's names.
enum WriteOutVariable: String, CaseIterable, Sendable {
    // In the order of the names, which is that of %{json}.
    case contentType = "content_type"
    case errorMessage = "errormsg"
    case exitCode = "exitcode"
    case effectiveFileName = "filename_effective"
    case httpCode = "http_code"
    case httpVersion = "http_version"
    case localIP = "local_ip"
    case localPort = "local_port"
    case method
    case connects = "num_connects"
    case headers = "num_headers"
    case redirects = "num_redirects"
    case redirectURL = "redirect_url"
    case referer
    case remoteIP = "remote_ip"
    case remotePort = "remote_port"
    case responseCode = "response_code"
    case scheme
    case sizeDownload = "size_download"
    case sizeHeader = "size_header"
    case sizeRequest = "size_request"
    case sizeUpload = "size_upload"
    case speedDownload = "speed_download"
    case speedUpload = "speed_upload"
    case timeAppConnect = "time_appconnect"
    case timeConnect = "time_connect"
    case timeNameLookup = "time_namelookup"
    case timePreTransfer = "time_pretransfer"
    case timeRedirect = "time_redirect"
    case timeStartTransfer = "time_starttransfer"
    case timeTotal = "time_total"
    case url
    case effectiveURL = "url_effective"
    case urlNumber = "urlnum"

    enum Value: Hashable, Sendable {
        /// Nil is empty in a text, and null in JSON.
        case text(String?)
        case number(Int64)
        /// A status code, with three digits in a text.
        case status(Int)
        case time(Duration)
    }

    /// Returns the variable's value for a transfer.
    func value(_ facts: TransferRecord.Facts) -> Value {
        let last = facts.metrics?.attempts.last
        let times = TransferTimes(facts.metrics, duration: facts.duration)
        switch self {
        case .contentType: return .text(facts.head?.headers[.contentType])
        case .errorMessage: return .text(facts.error)
        case .exitCode: return .number(Int64(facts.status))
        case .effectiveFileName: return .text(facts.file)
        case .httpCode, .responseCode: return .status(facts.head?.status.code ?? 0)
        case .httpVersion: return .text(facts.head.map { Self.version($0.version) } ?? "0")
        case .localIP: return .text(Self.address(last?.localAddress).host)
        case .localPort: return .number(Self.address(last?.localAddress).port)
        case .method: return .text(facts.request?.method.rawValue ?? "GET")
        case .connects:
            return .number(
                Int64(facts.metrics?.attempts.count { !$0.isReused && $0.connect != nil && $0.write != nil } ?? 0))
        case .headers: return .number(Int64(facts.head?.headers.count ?? 0))
        case .redirects: return .number(Int64(facts.redirects))
        case .redirectURL: return .text(Self.redirectURL(facts))
        case .referer: return .text(facts.request?.headers[.referer])
        case .remoteIP: return .text(Self.address(last?.remoteAddress).host)
        case .remotePort: return .number(Self.address(last?.remoteAddress).port)
        case .scheme:
            let isConnected = last?.remoteAddress != nil
            return .text(isConnected ? facts.request?.url.scheme.rawValue.uppercased() : nil)
        case .sizeDownload: return .number(facts.downloaded)
        case .sizeHeader: return .number(facts.headBytes)
        case .sizeRequest: return .number(facts.metrics?.bytesSent ?? 0)
        case .sizeUpload: return .number(facts.uploaded)
        case .speedDownload: return .number(Self.rate(facts.downloaded, in: times.total))
        case .speedUpload: return .number(Self.rate(facts.uploaded, in: times.total))
        case .timeAppConnect: return .time(times.appConnect)
        case .timeConnect: return .time(times.connect)
        case .timeNameLookup: return .time(times.nameLookup)
        case .timePreTransfer: return .time(times.preTransfer)
        case .timeRedirect: return .time(times.redirect)
        case .timeStartTransfer: return .time(times.startTransfer)
        case .timeTotal: return .time(times.total)
        case .url: return .text(facts.typedURL)
        case .effectiveURL:
            return .text(facts.request?.url.removingUserinfo().href ?? Self.complete(facts.typedURL))
        case .urlNumber: return .number(Int64(facts.number))
        }
    }

    private static func version(_ version: HTTPVersion) -> String {
        version.major >= 2 && version.minor == 0 ? "\(version.major)" : "\(version.major).\(version.minor)"
    }

    /// Returns a URL as it would be sent, without credentials; a text that is none stays as it is.
    private static func complete(_ typed: String) -> String {
        (try? HTTPURL(Target.expand(typed)))?.removingUserinfo().href ?? typed
    }

    /// Returns where a redirect leads that was not followed.
    private static func redirectURL(_ facts: TransferRecord.Facts) -> String? {
        guard let head = facts.head, (300..<400).contains(head.status.code), let location = head.headers[.location]
        else { return nil }
        return (try? HTTPURL(location, relativeTo: facts.request?.url ?? head.url))?.href
    }

    /// Splits an address and a port; the path of a socket has neither.
    static func address(_ text: String?) -> (host: String, port: Int64) {
        guard let text, let colon = text.lastIndex(of: ":"), let port = Int64(text[text.index(after: colon)...]) else {
            return ("", 0)
        }
        let host = text[..<colon]
        return (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : String(host), port)
    }

    private static func rate(_ bytes: Int64, in time: Duration) -> Int64 {
        let microseconds = Int64(time / .microseconds(1))
        guard microseconds > 0 else { return 0 }
        return Int64(Double(bytes) * 1e6 / Double(microseconds))
    }
}
