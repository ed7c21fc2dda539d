public import Dispatch
import SternaCore
import Synchronization

extension RequestSettings {
    /// The completion group of this request's task; nil, the default, keeps that of the session,
    /// ``SessionSettings/completionGroup``.
    public var completionGroup: DispatchGroup? {
        get { options[CompletionGroupKey.self] }
        set { options[CompletionGroupKey.self] = newValue }
    }
}

extension SessionSettings {
    /// A group that every task of the session enters when it is made, and leaves after its last callback, hook and observer;
    /// AFNetworking's `completionGroup`. None by default.
    ///
    ///     let group = DispatchGroup()
    ///     let tasks = api.with { $0.completionGroup = group }
    ///     for path in paths { tasks.get(path, success: { task, value in … }, failure: { task, error in … }) }
    ///     group.notify(queue: .main) { print("all are done") }
    public var completionGroup: DispatchGroup? {
        get { options[CompletionGroupKey.self] }
        set { options[CompletionGroupKey.self] = newValue }
    }
}

enum CompletionGroupKey: RequestOptionKey {
    static var defaultValue: DispatchGroup? { nil }
}

/// The place of a task in its completion group, which it leaves once.
final class GroupMembership: Sendable {
    private let group: DispatchGroup
    private let hasLeft = Atomic<Bool>(false)

    /// Enters the group of a request; nil if it has none.
    init?(_ settings: RequestSettings, of session: SessionSettings) {
        guard let group = settings.completionGroup ?? session.completionGroup else { return nil }
        self.group = group
        group.enter()
    }

    // A task that was never resumed leaves when it is released.
    deinit { leave() }

    func leave() {
        if !hasLeft.exchange(true, ordering: .relaxed) { group.leave() }
    }
}
