public import SternaCore

extension Session {
    /// The events that the server sends at a URL; see ``EventStream``.
    ///
    ///     for try await event in api.events("prices") { print(event.data) }
    ///
    /// - Parameters:
    ///   - reference: the URL, relative to the session's base URL or absolute.
    ///   - headers: header fields, which replace the session's.
    ///   - configure: changes when the stream connects again, and its limits.
    public func events(
        _ reference: some URLConvertible, headers: Headers = [:],
        _ configure: (inout EventStreamSettings) -> Void = { _ in }
    ) -> EventStream {
        events(of: .get(reference, headers: headers), configure)
    }

    /// The events that the server sends in response to any request, such as a POST with a prompt.
    ///
    ///     let answer = api.events(of: .post("chat", json: ["prompt": prompt, "stream": true]))
    ///
    /// Each connection sends the request again, with the session's credentials of then. A request other than GET is sent once,
    /// unless ``EventStreamSettings/reconnects`` is true. Its settings are the draft's, but for
    /// ``SternaCore/Timeouts/betweenBytes`` and the minimum throughput, and it is not retried unless the draft says so. Neither a
    /// cache nor another request shares the response.
    public func events(
        of draft: RequestDraft, _ configure: (inout EventStreamSettings) -> Void = { _ in }
    ) -> EventStream {
        var settings = EventStreamSettings()
        configure(&settings)
        return EventStream(plan: plan, draft: draft, settings: settings)
    }
}
