import SternaCore
import SternaSerialization

extension Session: CustomReflectable {
    /// The base URL and the settings.
    public var customMirror: Mirror {
        Mirror(self, children: ["baseURL": baseURL as Any, "settings": plan.settings], displayStyle: .struct)
    }
}

extension SessionSettings: CustomReflectable {
    /// The settings without the values of secret header fields, ``Auth/secretHeaders`` among them.
    public var customMirror: Mirror {
        let secretHeaders = auth.secretHeaders
        return Mirror(
            self,
            children: [
                "headers": headers.masked(secretHeaders),
                "requestSerializer": Self.shown(requestSerializer, secretHeaders),
                "responseSerializer": responseSerializer, "decoding": decoding, "timeouts": timeouts,
                "options": options, "callbacks": callbacks, "interceptors": interceptors,
                "networkInterceptors": networkInterceptors,
                "adapters": Self.types(adapters), "retriers": Self.types(retriers),
                "auth": auth, "trust": trust, "cookies": cookies, "cache": cache, "limits": limits,
                "events": events, "network": network, "tasks": tasks,
            ], displayStyle: .struct)
    }

    /// Returns the names of types, since adapters and retriers may hold tokens.
    // As `Any`, since the type of a generic element is the protocol's.
    fileprivate static func types<Element>(_ elements: [Element]) -> [String] {
        elements.map { "\(type(of: $0 as Any))" }
    }

    /// Returns a serializer whose secret header fields are masked.
    fileprivate static func shown(_ serializer: any RequestSerializer, _ names: Set<String>) -> any RequestSerializer {
        guard !names.isEmpty, var own = serializer as? any ConfigurableRequestSerializer else { return serializer }
        own.settings.headers = own.settings.headers.masked(names)
        return own
    }
}

extension SessionSettings.Auth: CustomReflectable {
    /// The settings, without secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "header": header as Any, "policy": policy, "credential": credential as Any,
                "credentialStore": credentialStore as Any, "netrc": netrc as Any,
                "hasChallengeHandler": challengeHandler != nil, "tokens": tokens as Any,
                "signing": signing, "secretHeaders": secretHeaders, "identityLabel": identityLabel as Any,
            ], displayStyle: .struct)
    }
}

extension SessionSettings.Cache: CustomReflectable {
    /// The settings.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "store": store as Any, "policy": policy, "isOffline": isOffline, "hasWillStore": willStore != nil,
            ], displayStyle: .struct)
    }
}

extension SessionSettings.Limits: CustomReflectable {
    /// The settings.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "collectedBytes": collectedBytes, "decompression": decompression, "bandwidth": bandwidth as Any,
                "rate": rate as Any, "concurrency": concurrency as Any, "circuitBreaker": circuitBreaker as Any,
                "continueThreshold": continueThreshold as Any,
            ], displayStyle: .struct)
    }
}

extension SessionSettings.Events: CustomReflectable {
    /// The settings.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "observers": observers.map(\.families), "capacity": capacity, "collectsMetrics": collectsMetrics,
                "postsNotifications": notifications.isOn, "logs": logging?.families as Any, "traces": spans != nil,
                "measures": meter != nil, "records": recorder != nil,
            ], displayStyle: .struct)
    }
}

extension SessionSettings.Network: CustomReflectable {
    /// The settings.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "proxies": proxies, "http2": http2, "dialPolicy": dialPolicy, "unixSocket": unixSocket as Any,
                "allowsOtherOrigins": allowsOtherOrigins, "waitsForConnectivity": waitsForConnectivity,
                "reachability": watchedNetwork as Any, "coalescesRequests": coalescesRequests,
                "hedging": hedging as Any, "resendsNonIdempotentRequests": resendsNonIdempotentRequests,
                "engine": engine,
                "transport": transport as Any,
            ], displayStyle: .struct)
    }
}

extension SessionSettings.Tasks: CustomReflectable {
    /// The settings.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "startsImmediately": startsImmediately, "decisions": decisions as Any,
                "completionGroup": completionGroup as Any,
            ], displayStyle: .struct)
    }
}

extension RequestSettings: CustomReflectable {
    /// The settings that were set, without the values of secret header fields, ``Auth/secretHeaders`` among them.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "requestSerializer": ownRequestSerializer.map { SessionSettings.shown($0, allSecretHeaders) } as Any,
                "responseSerializer": ownResponseSerializer as Any, "timeouts": ownTimeouts as Any,
                "deadline": deadline as Any,
                "priority": priority,
                "options": ownOptions, "auth.policy": state.choices.authentication as Any,
                "auth.credential": state.choices.credential.flattened() as Any,
                "cookies.isOn": state.choices.handlesCookies as Any,
                "auth.usesTokens": state.choices.usesToken,
                "limits.bandwidth": state.choices.bandwidth.flattened() as Any,
                "auth.header": ownAuthorization.flattened() as Any,
                "auth.secretHeaders": allSecretHeaders,
                "auth.hasChallengeHandler": state.choices.ownChallengeHandler != nil,
                "adapters": SessionSettings.types(state.choices.retryHandlers.adapters.elements(nil)),
                "retriers": SessionSettings.types(state.choices.retryHandlers.retriers.elements(nil)),
                "tasks.completionGroup": state.choices.completionGroup.flattened() as Any,
                "limits.continueThreshold": ownContinueThreshold.flattened() as Any,
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
                "headers": headers.masked(settings.auth.secretHeaders), "settings": settings,
            ], displayStyle: .struct)
    }
}
