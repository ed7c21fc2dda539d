public import SternaSerialization

extension HARDocument {
    /// A request of an entry.
    public struct Request: HARNode {
        /// The JSON object, with the members that this type does not name.
        public var json: JSON

        /// Makes a request from its JSON object, which is not checked.
        public init(json: JSON) { self.json = json }

        /// Makes a request; the query and the cookies are read from the URL and the fields.
        ///
        /// - Parameters:
        ///   - url: the absolute URL, whose fragment is left out.
        ///   - httpVersion: as in `HTTP/1.1`.
        ///   - bodySize: the bytes of the body as sent; nil if unknown.
        public init(
            method: String, url: String, httpVersion: String = "HTTP/1.1", headers: [Field] = [],
            postData: Content? = nil, headersSize: Int? = nil, bodySize: Int? = nil
        ) {
            let plain = url.prefix { $0 != "#" }
            let query = plain.firstIndex(of: "?").map { HARText.pairs(plain[plain.index(after: $0)...]) } ?? []
            let cookies = headers.filter { $0.name.lowercased() == "cookie" }.flatMap { field in
                field.value.split(separator: ";").map { pair in
                    let parts = pair.drop { $0 == " " }.split(
                        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    return Field(name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
                }
            }
            json = [
                "method": JSON(method), "url": JSON(String(plain)), "httpVersion": JSON(httpVersion),
                "cookies": .array(cookies.map(\.json)), "headers": .array(headers.map(\.json)),
                "queryString": .array(query.map(\.json)),
            ]
            if let postData { json["postData"] = postData.json }
            json["headersSize"] = JSON(headersSize ?? -1)
            json["bodySize"] = JSON(bodySize ?? -1)
        }

        /// The method.
        public var method: String {
            get { json["method"].string ?? "" }
            set { json["method"] = JSON(newValue) }
        }
        /// The absolute URL as text, which need not be valid.
        public var url: String {
            get { json["url"].string ?? "" }
            set { json["url"] = JSON(newValue) }
        }
        /// The version of HTTP, in the words of the program that wrote it: `HTTP/1.1`, `h2`, `http/2.0`.
        public var httpVersion: String {
            get { json["httpVersion"].string ?? "" }
            set { json["httpVersion"] = JSON(newValue) }
        }
        /// The header fields. Chromium's include the pseudo-header fields of HTTP/2.
        public var headers: [Field] {
            get { nodes("headers") }
            set { set(newValue, for: "headers") }
        }
        /// The pairs of the query; programs differ in whether they are percent-decoded.
        public var queryString: [Field] {
            get { nodes("queryString") }
            set { set(newValue, for: "queryString") }
        }
        /// The cookies that were sent.
        public var cookies: [Field] {
            get { nodes("cookies") }
            set { set(newValue, for: "cookies") }
        }
        /// The body; nil if there is none, or if it was not recorded.
        public var postData: Content? {
            get { json["postData"].object.map { Content(json: .object($0)) } }
            set { set(optional: newValue?.json, for: "postData") }
        }
        /// The bytes of the body as sent; nil if unknown.
        public var bodySize: Int? { known("bodySize").flatMap { Int(exactly: $0) } }
        /// The bytes of the request's head; nil if unknown.
        public var headersSize: Int? { known("headersSize").flatMap { Int(exactly: $0) } }
    }

    /// A response of an entry.
    public struct Response: HARNode {
        /// The JSON object, with the members that this type does not name.
        public var json: JSON

        /// Makes a response from its JSON object, which is not checked.
        public init(json: JSON) { self.json = json }

        /// Makes a response; the cookies and the redirect are read from the fields.
        ///
        /// - Parameters:
        ///   - status: the status code; 0 for a request that failed.
        ///   - bodySize: the bytes of the body as received, before they were decoded; nil if unknown.
        public init(
            status: Int, statusText: String = "", httpVersion: String = "HTTP/1.1", headers: [Field] = [],
            content: Content = Content(mediaType: "", bytes: []), headersSize: Int? = nil, bodySize: Int? = nil
        ) {
            let cookies = headers.filter { $0.name.lowercased() == "set-cookie" }.map { field in
                let pair = field.value.prefix { $0 != ";" }
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return Field(name: String(parts.first ?? ""), value: parts.count > 1 ? String(parts[1]) : "")
            }
            let target = headers.first { $0.name.lowercased() == "location" }?.value ?? ""
            json = [
                "status": JSON(status), "statusText": JSON(statusText), "httpVersion": JSON(httpVersion),
                "cookies": .array(cookies.map(\.json)), "headers": .array(headers.map(\.json)),
                "content": content.json, "redirectURL": JSON(target), "headersSize": JSON(headersSize ?? -1),
                "bodySize": JSON(bodySize ?? -1),
            ]
        }

        /// The status code; 0 for a request that failed.
        public var status: Int {
            get { json["status"].int ?? 0 }
            set { json["status"] = JSON(newValue) }
        }
        /// The reason phrase.
        public var statusText: String {
            get { json["statusText"].string ?? "" }
            set { json["statusText"] = JSON(newValue) }
        }
        /// The version of HTTP, as in ``Request/httpVersion``.
        public var httpVersion: String {
            get { json["httpVersion"].string ?? "" }
            set { json["httpVersion"] = JSON(newValue) }
        }
        /// The header fields.
        public var headers: [Field] {
            get { nodes("headers") }
            set { set(newValue, for: "headers") }
        }
        /// The cookies that the response sets.
        public var cookies: [Field] {
            get { nodes("cookies") }
            set { set(newValue, for: "cookies") }
        }
        /// The content, without transfer and content codings.
        public var content: Content {
            get { Content(json: json["content"]) }
            set { json["content"] = newValue.json }
        }
        /// The target of a redirect; empty without one.
        public var redirectURL: String {
            get { json["redirectURL"].string ?? "" }
            set { json["redirectURL"] = JSON(newValue) }
        }
        /// The bytes of the body as received; nil if unknown. 0 for a response from the cache.
        public var bodySize: Int? { known("bodySize").flatMap { Int(exactly: $0) } }
        /// The bytes of the response's head; nil if unknown.
        public var headersSize: Int? { known("headersSize").flatMap { Int(exactly: $0) } }
    }

    /// A header field, a pair of a query or of a form, or a cookie: a name and a value.
    public struct Field: HARNode {
        /// The JSON object, with further members, such as `path` of a cookie and `fileName` of a form's file.
        public var json: JSON

        /// Makes a field from its JSON object, which is not checked.
        public init(json: JSON) { self.json = json }

        /// Makes a field of a name and a value.
        public init(name: String, value: String) { json = ["name": JSON(name), "value": JSON(value)] }

        /// The name.
        public var name: String {
            get { json["name"].string ?? "" }
            set { json["name"] = JSON(newValue) }
        }
        /// The value.
        public var value: String {
            get { json["value"].string ?? "" }
            set { json["value"] = JSON(newValue) }
        }
    }

    /// The body of a request (`postData`), or the content of a response.
    public struct Content: HARNode {
        /// The JSON object, with the members that this type does not name.
        public var json: JSON

        /// Makes a content from its JSON object, which is not checked.
        public init(json: JSON) { self.json = json }

        /// Makes a content: text if the bytes are UTF-8 and the media type names no other character set, otherwise base64.
        ///
        /// - Parameters:
        ///   - mediaType: the value of Content-Type.
        ///   - bytes: the bytes; nil if they were not recorded.
        ///   - size: the number of bytes; that of `bytes` by default.
        public init(mediaType: String, bytes: [UInt8]?, size: Int? = nil) {
            json = ["size": JSON(size ?? bytes?.count ?? 0), "mimeType": JSON(mediaType)]
            guard let bytes else { return }
            let encoding = MediaType(mediaType)?["charset"].flatMap { TextEncoding(label: $0) } ?? .utf8
            if encoding == .utf8, let text = String(validating: bytes, as: UTF8.self) {
                json["text"] = JSON(text)
            } else {
                json["text"] = JSON(HARText.base64(bytes))
                json["encoding"] = "base64"
            }
        }

        /// The number of bytes of the content, decoded; nil if it is unknown.
        public var size: Int? { known("size").flatMap { Int(exactly: $0) } }

        /// The media type, as in Content-Type.
        public var mimeType: String {
            get { json["mimeType"].string ?? "" }
            set { json["mimeType"] = JSON(newValue) }
        }
        /// The text, or base64 if ``encoding`` says so; nil if it was not recorded.
        public var text: String? {
            get { json["text"].string }
            set { set(optional: newValue.map { JSON($0) }, for: "text") }
        }
        /// The encoding of the text: `base64`, or nil.
        public var encoding: String? {
            get { json["encoding"].string.flatMap { $0.isEmpty ? nil : $0 } }
            set { set(optional: newValue.map { JSON($0) }, for: "encoding") }
        }
        /// The pairs of a form in a request.
        public var params: [Field] {
            get { nodes("params") }
            set { set(newValue, for: "params") }
        }

        /// The bytes; nil if they were not recorded, or for invalid base64.
        ///
        /// Text is in the character set of the media type, UTF-8 by default or if it cannot represent the text. A URL-encoded form
        /// that has only its pairs is encoded from them.
        public var bytes: [UInt8]? {
            guard let text else {
                let isForm = mimeType.isEmpty || MediaType(mimeType)?.essence == "application/x-www-form-urlencoded"
                return isForm && !params.isEmpty ? HARText.form(params) : nil
            }
            if encoding?.lowercased() == "base64" { return HARText.bytes(base64: text) }
            let charset = MediaType(mimeType)?["charset"].flatMap { TextEncoding(label: $0) } ?? .utf8
            return charset.encode(text) ?? Array(text.utf8)
        }
    }
}
