public import Dispatch
import SternaCore

extension SessionSettings {
    /// How the session's tasks start, what decides for them, and which group they enter.
    public struct Tasks: Sendable {
        /// Whether tasks start when they are created, as Alamofire's do; the default. If not, ``SessionTask/resume()`` starts them,
        /// as in AFNetworking and URLSession.
        public var startsImmediately = true

        /// Closures that decide what tasks do; none by default.
        public var decisions: TaskDecisions? {
            // Closures cannot be compared, so credentials that other closures supplied are not shared.
            didSet { decisionsNumber = Call.newNumber() }
        }

        /// Changes with each assignment of ``decisions``, whose closures cannot be compared.
        private(set) var decisionsNumber: UInt64 = 0

        /// A group that every task of the session enters when it is made, and leaves after its last callback, and after observers
        /// have received its last event; AFNetworking's `completionGroup`. None by default.
        ///
        ///     let group = DispatchGroup()
        ///     let tasks = api.with { $0.tasks.completionGroup = group }
        ///     for path in paths { tasks.get(path, success: { task, value in … }, failure: { task, error in … }) }
        ///     group.notify(queue: .main) { print("all are done") }
        public var completionGroup: DispatchGroup?
    }
}
