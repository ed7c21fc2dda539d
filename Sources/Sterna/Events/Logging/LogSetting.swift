import Logging
import SternaCore

/// Writes the events of a session to a logger.
struct LogSetting: Sendable {
    let families: SternaEvent.Families

    /// Nil for `Logger.current` of the task that makes each call.
    let logger: Logger?

    /// The maximum size of a body that is logged.
    let bodyLimit: Int

    /// The logger of the current task.
    private var taskLogger: Logger { logger ?? .current }

    /// Makes the observer for a session that is made now.
    func observer() -> EventObserver {
        let own = taskLogger
        // Transfers are not captured, nor tasks whose request could not be built: the session's logger decides.
        let standing = own.logLevel <= .debug ? families.intersection([.tasks, .transfers]) : []
        return EventObserver(families, standing: standing, capture: { capture($0) }) { event in
            guard let call = event.call else { return write(event, own, [:], LogOutcome()) }
            // Without a context the call's logger does not want its events; another observer does.
            guard let context = call.context?.find(LogContext.self) else { return }
            let (provided, outcome) = context.state(of: event)
            write(event, context.logger, provided, outcome)
        }
    }

    private func capture(_ family: SternaEvent.Families) -> (any EventContext)? {
        guard !families.isDisjoint(with: family) else { return nil }
        let logger = taskLogger
        return logger.logLevel <= .debug ? LogContext(logger, bodyLimit: bodyLimit) : nil
    }

    private func write(
        _ event: SternaEvent, _ logger: Logger, _ provided: Logger.Metadata, _ outcome: LogOutcome
    ) {
        let rule = LogRule(isTrace: logger.logLevel <= .trace, bodyLimit: bodyLimit, outcome: outcome)
        let (level, message) = rule.head(event.kind)
        guard level >= logger.logLevel else { return }
        let own = rule.metadata(event)
        logger.log(level: level, message, metadata: provided.isEmpty ? own : provided.merging(own) { $1 })
    }

    /// Writes the line of a failed call that records no events, since its logger does not want them.
    func failed(_ error: SternaError, _ request: Request) {
        guard families.contains(.network), request.recorder?.context?.find(LogContext.self) == nil,
            error.kind != .cancelled,
            error.downloadTask == nil, let call = request.call, call.beginsReportingFailure()
        else { return }
        taskLogger.warning(LogRule.failed, metadata: LogRule.metadata(of: error, call, request))
    }
}
