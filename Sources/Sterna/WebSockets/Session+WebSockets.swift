public import SternaCore
import SternaSerialization

extension Session {
    /// Opens a WebSocket (RFC 6455; RFC 8441 over HTTP/2).
    ///
    ///     let socket = try await api.webSocket("chat") { $0.subprotocols = ["chat.v2"] }
    ///
    /// The handshake is a GET request with the session's cookies, credentials, proxies and trust. It follows redirects, but never
    /// from wss to ws. ``SternaCore/Timeouts/total`` ends with the handshake. The connection counts in the session's limits until
    /// the WebSocket ends.
    ///
    /// Throws `unacceptableStatus` if the server refuses, with the status, the fields, the body and the server's message; and
    /// `malformedResponse` if its answer is invalid, for example by a subprotocol that was not offered.
    ///
    /// - Parameters:
    ///   - reference: the URL, relative to the session's base URL or absolute; https counts as wss, and http as ws.
    ///   - headers: header fields, which replace the session's; those of the handshake throw `invalidHeader`.
    ///   - configure: changes what the WebSocket asks for, and its limits.
    nonisolated(nonsending) public func webSocket(
        _ reference: some URLConvertible, headers: Headers = [:],
        _ configure: (inout WebSocketSettings) -> Void = { _ in }
    ) async throws -> WebSocket {
        try await webSocket(of: RequestDraft(.get, reference, headers: headers), configure)
    }

    /// Opens a WebSocket by a draft, whose settings apply to the handshake:
    /// `.get("chat", query: ["room": room]) { $0.timeouts.total = .seconds(5) }`.
    ///
    /// The handshake is not retried unless the draft says so.
    nonisolated(nonsending) public func webSocket(
        of draft: RequestDraft, _ configure: (inout WebSocketSettings) -> Void = { _ in }
    ) async throws -> WebSocket {
        var settings = WebSocketSettings()
        configure(&settings)
        return try await plan.webSocket(draft, settings)
    }

    /// Opens a WebSocket, passes it to a closure, and closes it: with 1000 after the closure has returned, with 1001 after it has
    /// thrown or the task was cancelled.
    ///
    ///     try await api.withWebSocket("prices") { socket in
    ///         for try await message in socket { print(message) }
    ///     }
    public func withWebSocket<R>(
        _ reference: some URLConvertible, headers: Headers = [:],
        _ configure: (inout WebSocketSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation,
        _ use: (WebSocket) async throws -> R
    ) async throws -> R {
        let socket = try await webSocket(reference, headers: headers, configure)
        do {
            let result = try await use(socket)
            // The closing handshake goes on if the task is cancelled.
            try? await socket.close(Task.isCancelled ? .goingAway : .normal)
            return result
        } catch {
            try? await socket.close(.goingAway)
            throw error
        }
    }

    /// A WebSocket that connects again after a lost connection; see ``ReconnectingWebSocket``.
    ///
    /// - Parameters:
    ///   - headers: header fields of each handshake, which replace the session's.
    ///   - configure: changes the settings of each WebSocket, and the waits between them.
    ///   - opened: called with each new WebSocket before its messages, for example to subscribe or to ask for missed messages.
    public func reconnectingWebSocket(
        _ reference: some URLConvertible, headers: Headers = [:],
        _ configure: (inout WebSocketSettings) -> Void = { _ in },
        opened: @escaping @Sendable (WebSocket) async throws -> Void = { _ in }
    ) -> ReconnectingWebSocket {
        var settings = WebSocketSettings()
        configure(&settings)
        return ReconnectingWebSocket(
            plan: plan, draft: RequestDraft(.get, reference, headers: headers), settings: settings, opened: opened)
    }
}

extension SessionPlan {
    /// Opens a WebSocket.
    nonisolated(nonsending) func webSocket(
        _ draft: RequestDraft, _ settings: WebSocketSettings
    ) async throws -> WebSocket {
        let handshake = WebSocketOpening(settings)
        let opened: OpenedUpgrade
        do {
            opened = try await openUpgrade(draft, to: "websocket", fields: try handshake.fields())
        } catch let error as SternaError {
            guard let advice = ErrorAdvice(for: error), advice != advice.forWebSocket else { throw error }
            throw error.advised(advice.forWebSocket)
        }
        let agreement: WebSocketOpening.Agreement
        do {
            agreement = try handshake.agreement(with: opened.response)
        } catch {
            opened.stream.cancel()
            throw describe(error, opened.request, answeredBy: opened.response)
        }
        let connection = WebSocketConnection(
            opened.stream, settings, deflate: agreement.deflate, request: opened.request)
        connection.start()
        return WebSocket(connection, response: opened.response, subprotocol: agreement.subprotocol)
    }
}
