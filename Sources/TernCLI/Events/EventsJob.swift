import Sterna

/// Sends a request, and shows the events that answer it.
struct EventsJob {
    let job: RequestJob
    let asJSON: Bool
    let maxEvents: Int?
    let lastEventID: String
    /// Nil for what the method says.
    let reconnects: Bool?
    /// How many failures one after another are taken; nil for no limit once a connection has been open.
    let retry: Int?
    /// The longest time without bytes, in seconds; nil for the library's.
    let silence: Double?
    let isSilent: Bool

    func run() async throws {
        let items = try job.target.items.map { argument throws(UsageError) in try ItemParser.parse(argument) }
        var content = try await job.content(try job.request.headerItems() + items)
        let url = try RequestJob.url(job.target, content)
        let sender = try await job.sender(for: url, &content, keepsFiles: true)
        let log = NetworkLog(removedHeaders: content.removedHeaders, request: { _ in }, redirect: { _ in })
        let prepared = try job.prepared(url, content, sender, log: log, collectsMetrics: false)
        try job.routing.checkSocket()
        var draft = prepared.draft
        let limit = job.connection.transport.maxTime.map { ContinuousClock.now + .seconds($0) }
        draft.settings.deadline = job.connection.transport.maxTime.map { .now + .seconds($0) }
        let stream = prepared.session.events(of: draft) { settings in
            settings.lastEventID = lastEventID
            settings.reconnects = reconnects
            if let silence { settings.silence = .seconds(silence) }
            if let retry {
                settings.failureLimit = retry + 1
                settings.retriedStatuses = [408, 429, 500, 502, 503, 504]
            }
        }
        let start = ContinuousClock.now
        var shown = Shown(id: lastEventID)
        do {
            try await show(stream, until: limit, &shown)
        } catch {
            await prepared.session.flushEvents()
            if log.hasAnswer { await RequestJob.trySaving(sender.state) }
            if Task.isCancelled { reportEnd(shown) }
            guard let error = error as? SternaError else { throw error }
            throw RequestJob.advised(error, after: ContinuousClock.now - start, job.connection, job.routing)
        }
        await prepared.session.flushEvents()
        try await sender.state.save()
    }

    /// What the command has shown.
    private struct Shown {
        var count = 0
        /// The id of the last event, with which the command continues.
        var id: String
    }

    private func show(_ stream: EventStream, until limit: ContinuousClock.Instant?, _ shown: inout Shown) async throws {
        let terminal = Terminal.standardOutput
        var wasOpen = false
        for try await update in stream.updates {
            switch update {
            case .opened: wasOpen = true
            case .event(let event):
                let text = EventLine.text(event, asJSON: asJSON)
                try Descriptor.standardOutput.write((terminal.isTerminal ? TerminalText.block(text) : text) + "\n")
                shown.count += 1
                shown.id = event.id
                if shown.count == maxEvents { return }
            case .reconnecting(let wait, let error):
                if let error, !wasOpen && retry == nil || limit.map({ $0 <= .now }) == true { throw error }
                guard !isSilent else { continue }
                let reason = error?.message ?? "The server has ended the response."
                printError("\(reason) Connecting again in \(AttemptLog.seconds(wait)).")
            }
        }
    }

    /// Says where an interrupted command ended, and how to continue there.
    private func reportEnd(_ shown: Shown) {
        guard !isSilent else { return }
        let events = "Interrupted after \(shown.count) event\(shown.count == 1 ? "" : "s")"
        guard !shown.id.isEmpty else { return printError("\(events); none of them had an id.") }
        printError("\(events). To continue after the last one: --last-event-id \(ShellText.quoted(shown.id))")
    }
}
