public import SternaCore

/// The option that decides whether response bodies are decoded.
enum ContentDecodingKey: RequestOptionKey {
    static var defaultValue: Bool { true }
    static var name: String? { "decodesContent" }
}

extension SessionSettings {
    /// Whether bodies in the content codings gzip and deflate, and in those of the package's traits `Brotli` and `Zstd`, are decoded,
    /// whatever Accept-Encoding allows (RFC 9110, 8.4); true by default.
    ///
    ///     let reply = try await api.get("log", headers: ["Accept-Encoding": "gzip"]) { $0.decodesContent = false }
    ///
    /// If false, responses have the received bytes and keep their Content-Encoding. Bodies in other codings, and the parts in a
    /// 206, are never decoded. A downloaded file keeps a coding that its name indicates, as in `a.tar.gz`.
    public var decodesContent: Bool {
        get { options[ContentDecodingKey.self] }
        set { options[ContentDecodingKey.self] = newValue }
    }
}

extension RequestSettings {
    /// Whether the response's body is decoded.
    public var decodesContent: Bool {
        get { options[ContentDecodingKey.self] }
        set { options[ContentDecodingKey.self] = newValue }
    }
}

extension Request {
    /// Whether the response's body is decoded; nil, the default, keeps the session's choice.
    public var decodesContent: Bool? {
        get { options[ifSet: ContentDecodingKey.self] }
        set { options[ifSet: ContentDecodingKey.self] = newValue }
    }
}
