package import SternaCore

/// What a request is told beside its message, each sent on only where it is set: AFNetworking's observed properties.
package struct RequestProperties: Sendable, Hashable, Codable {
    /// How long connecting, TLS, the first byte and each pause between bytes may take; nil leaves the session's, 60 s.
    package var timeout: Duration?

    /// When a stored response is used; nil leaves it to HTTP's own rules.
    package var cachePolicy: CachePolicy?

    /// Whether cookies are sent and kept; nil leaves it to the session.
    package var handlesCookies: Bool?

    /// What the traffic is for.
    package var networkServiceType: NetworkServiceType?

    /// Whether the request may go over a cellular network.
    package var allowsCellularAccess: Bool?

    /// Accepted for those who come from AFNetworking, and ignored: HTTP/1.1 pipelining is sent by no client of today.
    package var usesPipelining: Bool?

    /// Sets nothing.
    package init() {}

    /// When a stored response is used; the names are URLRequest's without their prefix.
    package enum CachePolicy: String, Sendable, Hashable, Codable, CaseIterable {
        /// By HTTP's rules (RFC 9111).
        case useProtocolCachePolicy
        /// Never: the server is asked.
        case reloadIgnoringLocalCacheData
        /// Whatever its age; the server is asked only where there is none.
        case returnCacheDataElseLoad
        /// Whatever its age; where there is none, the request fails.
        case returnCacheDataDontLoad
        /// Only when the server has said that it is still good.
        case reloadRevalidatingCacheData
    }

    /// What traffic is for; the names are URLRequest's.
    package enum NetworkServiceType: String, Sendable, Hashable, Codable, CaseIterable {
        case `default`, voip, video, background, voice, responsiveData, avStreaming, responsiveAV, callSignaling
    }
}

/// Where a request keeps its ``RequestProperties``.
package enum RequestPropertiesKey: RequestOptionKey {
    package static var defaultValue: RequestProperties { RequestProperties() }
}

extension Request {
    /// What the request serializer set beside the message.
    package var properties: RequestProperties {
        get { options[RequestPropertiesKey.self] }
        set { options[RequestPropertiesKey.self] = newValue }
    }
}
