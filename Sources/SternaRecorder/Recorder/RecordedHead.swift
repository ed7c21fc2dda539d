import HTTPTypes
import NIOCore
import SternaCore

/// The head of a request. It retains neither the request's call nor its body nor closures of the program.
struct RequestHead: Sendable {
    var method: HTTPRequest.Method
    var url: HTTPURL
    var headers: HTTPFields
    /// Names of secret fields, besides those that are always secret.
    var secretHeaders: Set<String>

    init(_ method: HTTPRequest.Method, _ url: HTTPURL, _ headers: HTTPFields, secretHeaders: Set<String>) {
        (self.method, self.url, self.headers, self.secretHeaders) = (method, url, headers, secretHeaders)
    }

    init(_ request: Request) {
        self.init(
            request.method, request.url, request.headers, secretHeaders: request.options[SecretHeadersKey.self])
    }

    var request: Request {
        var request = Request(method, url, headers: headers)
        if !secretHeaders.isEmpty { request.options[SecretHeadersKey.self] = secretHeaders }
        return request
    }

    var size: Int {
        // User information is rare; without it no text needs to be made.
        let text =
            url.userinfo == nil
            ? url.authority.utf8.count + url.requestTarget.utf8.count + (url.fragment?.utf8.count ?? 0)
            : url.href.utf8.count
        return text + headers.approximateSize
    }
}

/// The head of a response. It retains neither the connection nor the call.
struct ResponseHead: Sendable {
    var status: HTTPResponse.Status
    var version: HTTPVersion
    var section: FieldSection
    var url: HTTPURL
    var source = ResponseSource.network
    var trailers: HTTPFields?

    init(status: HTTPResponse.Status, version: HTTPVersion, section: FieldSection, url: HTTPURL) {
        (self.status, self.version, self.section, self.url) = (status, version, section, url)
    }

    init(_ response: Response) {
        self.init(status: response.status, version: response.version, section: response.section, url: response.url)
        source = response.source
    }

    /// The head without the memory of a larger buffer, to be kept.
    var kept: ResponseHead {
        var head = self
        head.section = section.withoutSurplus
        return head
    }

    var response: Response {
        var response = Response(
            status: status, version: version, section: section, body: ResponseBody(Bytes(), trailers: trailers),
            url: url)
        response.source = source
        return response
    }

    var size: Int { section.approximateSize + (trailers?.approximateSize ?? 0) }
}
