import SternaCore
import SternaSerialization

extension Session: CustomReflectable {
    /// The base URL and the settings.
    public var customMirror: Mirror {
        Mirror(self, children: ["baseURL": baseURL as Any, "settings": plan.settings], displayStyle: .struct)
    }
}

extension SessionSettings: CustomReflectable {
    /// The settings without the values of secret header fields, ``secretHeaders`` among them.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "headers": headers.masked(secretHeaders), "secretHeaders": secretHeaders,
                "authorization": authorization as Any, "authentication": authentication,
                "credential": credential as Any,
                "credentialStore": credentialStore as Any, "netrc": netrc as Any,
                "hasChallengeHandler": challengeHandler != nil,
                "requestSerializer": Self.shown(requestSerializer, secretHeaders),
                "responseSerializer": responseSerializer, "decoding": decoding, "timeouts": timeouts,
                "options": options, "decodingLimits": decodingLimits, "collectedBytes": collectedBytes,
                "continueThreshold": continueThreshold as Any,
                "allowsOtherOrigins": allowsOtherOrigins, "securityPolicy": securityPolicy,
                "hostPolicies": hostPolicies, "proxies": proxies, "http2": http2, "dialPolicy": dialPolicy,
                "unixSocket": unixSocket as Any, "collectsMetrics": collectsMetrics,
                "cookieJar": cookieJar as Any, "hsts": hsts as Any,
                "cache": cache as Any, "isOffline": isOffline, "hasWillCache": willCache != nil,
                "identityLabel": identityLabel as Any,
                "observers": observers.map(\.families), "eventCapacity": eventCapacity, "callbacks": callbacks,
                "decisions": decisions as Any, "postsNotifications": notifications.isOn,
                "tokenAuthentication": tokenAuthentication as Any, "bandwidth": bandwidth as Any,
                "reachability": ownReachability as Any,
                "startsTasks": startsTasks,
                "engine": engine, "transport": transport as Any, "interceptors": interceptors,
                "networkInterceptors": networkInterceptors,
            ], displayStyle: .struct)
    }

    /// Returns a serializer whose secret header fields are masked.
    fileprivate static func shown(_ serializer: any RequestSerializer, _ names: Set<String>) -> any RequestSerializer {
        guard !names.isEmpty, var own = serializer as? any ConfigurableRequestSerializer else { return serializer }
        own.settings.headers = own.settings.headers.masked(names)
        return own
    }
}

extension RequestSettings: CustomReflectable {
    /// The settings without the values of secret header fields, ``secretHeaders`` among them.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "requestSerializer": ownRequestSerializer.map { SessionSettings.shown($0, secretHeaders) } as Any,
                "responseSerializer": ownResponseSerializer as Any, "timeouts": ownTimeouts as Any,
                "deadline": deadline as Any,
                "priority": priority,
                "options": ownOptions, "authentication": state.choices.authentication as Any,
                "credential": state.choices.credential.flattened() as Any,
                "handlesCookies": state.choices.handlesCookies as Any,
                "usesTokenAuthentication": state.choices.usesToken,
                "bandwidth": state.choices.bandwidth.flattened() as Any,
                "authorization": ownAuthorization.flattened() as Any,
                "secretHeaders": secretHeaders, "continueThreshold": ownContinueThreshold.flattened() as Any,
                "uploadProgress": uploadProgress as Any,
                "downloadProgress": downloadProgress as Any,
            ], displayStyle: .struct)
    }
}

extension RequestDraft: CustomReflectable {
    /// The draft with the names of its parameters, but without the credentials of its reference, the values of secret header
    /// fields, and the body's content.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method, "reference": Redaction.show(reference: reference.urlReference()),
                "parameters": parameters?.keys as Any, "query": query?.keys as Any, "body": body as Any,
                "headers": headers.masked(settings.secretHeaders), "settings": settings,
            ], displayStyle: .struct)
    }
}
