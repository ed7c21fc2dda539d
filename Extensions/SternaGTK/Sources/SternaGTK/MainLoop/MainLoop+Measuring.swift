import CSternaGTK

extension MainLoop {
    /// A turn of the main actor, between two looks at GTK's events and frames.
    public struct Turn: Sendable, Hashable {
        /// How long it took.
        public var duration: Duration

        /// How long the thread ran meanwhile: without the time in which other threads had its processor.
        public var processorTime: Duration

        public init(duration: Duration, processorTime: Duration) {
            (self.duration, self.processorTime) = (duration, processorTime)
        }
    }

    private static var measured: (@MainActor (Turn) -> Void)?

    /// Calls a closure with each turn of the main actor; nil, the default, measures nothing. For tests and profiles.
    public static func measureTurns(_ turn: (@MainActor (Turn) -> Void)?) {
        measured = turn
        guard turn != nil else { return sterna_gtk_measure_turns(nil) }
        sterna_gtk_measure_turns { nanoseconds, processor in
            let turn = Turn(
                duration: .nanoseconds(Int64(clamping: nanoseconds)),
                processorTime: .nanoseconds(Int64(clamping: processor)))
            MainThread.run { MainLoop.report(turn) }
        }
    }

    private static func report(_ turn: Turn) { measured?(turn) }
}
