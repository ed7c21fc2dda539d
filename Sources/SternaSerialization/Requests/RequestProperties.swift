package import SternaCore

/// Request properties that are not part of the message, each applied only if set, like AFNetworking's observed properties.
package struct RequestProperties: Sendable, Hashable, Codable {
    /// The time limit of each step of a request, from resolving the host to each pause between bytes; nil keeps the session's
    /// limits.
    package var timeout: Duration?

    /// The use of stored responses; nil for HTTP's rules.
    package var cachePolicy: CachePolicy?

    /// Whether cookies are sent and stored; nil for the session's setting.
    package var handlesCookies: Bool?

    /// The purpose of the traffic.
    package var networkServiceType: NetworkServiceType?

    /// Whether the request may go over a cellular network.
    package var allowsCellularAccess: Bool?

    /// Accepted for compatibility with AFNetworking, and ignored: no current client sends HTTP/1.1 pipelining.
    package var usesPipelining: Bool?

    /// Makes properties with nothing set.
    package init() {}

    /// The use of stored responses; the names are URLRequest's without their prefix.
    package enum CachePolicy: String, Sendable, Hashable, Codable, CaseIterable {
        /// Follows HTTP's rules (RFC 9111).
        case useProtocolCachePolicy
        /// Ignores stored responses, and always sends a request.
        case reloadIgnoringLocalCacheData
        /// Uses a stored response of any age; sends a request only without one.
        case returnCacheDataElseLoad
        /// Uses a stored response of any age; without one, the request fails.
        case returnCacheDataDontLoad
        /// Uses a stored response only after the server has revalidated it.
        case reloadRevalidatingCacheData
    }

    /// The purpose of traffic; the names are URLRequest's.
    package enum NetworkServiceType: String, Sendable, Hashable, Codable, CaseIterable {
        case `default`, voip, video, background, voice, responsiveData, avStreaming, responsiveAV, callSignaling
    }
}

/// The request option that holds ``RequestProperties``.
package enum RequestPropertiesKey: RequestOptionKey {
    package static var defaultValue: RequestProperties { RequestProperties() }
}

extension Request {
    /// The properties that the request serializer set.
    package var properties: RequestProperties {
        get { options[RequestPropertiesKey.self] }
        set { options[RequestPropertiesKey.self] = newValue }
    }
}
