import CSternaGTK

extension MainLoop {
    private static var measured: (@MainActor (Duration) -> Void)?

    /// Calls a closure with the time that each turn of the main actor takes, between two looks at GTK's events and frames; nil, the default,
    /// measures nothing. For tests and profiles.
    public static func measureTurns(_ turn: (@MainActor (Duration) -> Void)?) {
        measured = turn
        guard turn != nil else { return sterna_gtk_measure_turns(nil, nil) }
        sterna_gtk_measure_turns(
            { nanoseconds, _ in
                MainThread.run { MainLoop.report(.nanoseconds(Int64(clamping: nanoseconds))) }
            }, nil)
    }

    private static func report(_ time: Duration) { measured?(time) }
}
