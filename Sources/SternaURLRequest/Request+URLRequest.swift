import HTTPTypes
public import Sterna
import SternaCore

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension Request {
    /// Makes a request from one of Foundation's: from its method, URL, header fields, body, time-out and cache policy.
    ///
    /// ``Foundation/URLRequest/timeoutInterval`` limits each step of ``SternaCore/Timeouts``: resolving, connecting, the proxy,
    /// TLS, the first byte, and each pause between bytes; zero or less changes no limit. A body stream has the length of the field
    /// Content-Length, if there is one; it is sent once. A ``Foundation/URLRequest/cachePolicy`` other than the default concerns
    /// the session's cache, in place of the session's own policy. What concerns Foundation's cookies, cellular networks and types
    /// of service has no effect.
    ///
    /// Throws `invalidURL` for a URL that is missing or not of http, `invalidHeader` for a field that cannot be sent,
    /// `invalidMethod` for a method that is not a token, and `invalidRequest` for a body stream without the trait `Foundation`.
    public init(_ request: URLRequest) throws(SternaError) {
        guard let url = request.url else {
            throw SternaError(.invalidURL, phase: .prepare, "The URLRequest has no URL.")
        }
        let name = request.httpMethod ?? "GET"
        guard let method = Request.Method(name) else {
            throw SternaError(
                .invalidMethod, phase: .prepare, "The URLRequest's method is not valid; use a token such as GET.")
        }
        do throws(HTTPURL.ParseError) {
            self.init(method, try HTTPURL(url))
        } catch {
            throw SternaError(.invalidURL, phase: .prepare, "\(error)", underlying: error)
        }
        // Sorted by name, since a dictionary has no order.
        let fields = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        try Headers(fields).merge(into: &headers)
        if let data = request.httpBody {
            body = .bytes(data)
        } else if let stream = request.httpBodyStream {
            body = try Self.body(of: stream, length: headers[.contentLength].flatMap { Int64($0) })
        }
        let interval = request.timeoutInterval
        if interval > 0 { timeouts.setEach(.seconds(min(interval, Self.longestInterval))) }
        cachePolicy = Self.policy(request.cachePolicy)
    }

    private static func policy(_ policy: URLRequest.CachePolicy) -> CachePolicy? {
        switch policy {
        case .useProtocolCachePolicy: nil
        case .reloadIgnoringLocalCacheData: CachePolicy(.reloadIgnoringLocalCacheData)
        case .reloadIgnoringLocalAndRemoteCacheData: CachePolicy(.reloadIgnoringLocalAndRemoteCacheData)
        case .returnCacheDataElseLoad: CachePolicy(.returnCacheDataElseLoad)
        case .returnCacheDataDontLoad: CachePolicy(.returnCacheDataDontLoad)
        case .reloadRevalidatingCacheData: CachePolicy(.reloadRevalidatingCacheData)
        @unknown default: nil
        }
    }

    // About thirty years; a duration has no room for every number of seconds.
    private static let longestInterval = 1e9

    private static func body(of stream: InputStream, length: Int64?) throws(SternaError) -> Body {
        #if Foundation
        .stream(stream, length: length.flatMap { $0 < 0 ? nil : $0 })
        #else
        throw SternaError(
            .invalidRequest, phase: .prepare, "A body stream needs the package's trait “Foundation”, which is off.")
        #endif
    }
}
