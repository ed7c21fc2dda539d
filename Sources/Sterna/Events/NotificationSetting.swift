import SternaCore
import SternaSerialization

#if Foundation
public import Foundation
#endif

/// Where the notifications of a session's tasks are posted; nowhere without Foundation.
struct NotificationSetting: Sendable {
    #if Foundation
    var center: NotificationCenter?

    var isOn: Bool { center != nil }

    /// Makes the observer that posts notifications of events where callbacks run; nil if none are posted.
    func observer(on callbacks: CallbackTarget) -> EventObserver? {
        guard let poster = center.map({ NotificationPoster(center: $0) }) else { return nil }
        let callbackQueue = UserCallbackQueue(callbacks)
        return EventObserver(.tasks) { event in
            if poster.concerns(event) { callbackQueue.post { poster.post(event) } }
        }
    }
    #else
    let isOn = false

    func observer(on callbacks: CallbackTarget) -> EventObserver? { nil }
    #endif
}

/// The results of a task, for its completion notification.
struct TaskSummary: Sendable {
    var value: (any Sendable)?
    var body: Bytes?
    var serializer: (any ResponseSerializer)?
    var path: String?
}

#if Foundation
extension SessionSettings.Events {
    /// The centre that receives a notification when a task is resumed, suspended or completed, when the session is invalidated, and
    /// when a download's file was moved or could not be moved; see ``SternaNotification``. Nil, the default, posts none.
    ///
    ///     let api = try Session { $0.events.notificationCenter = .default }
    ///
    /// Notifications are made from events, and posted on ``SessionSettings/callbacks`` in the order of the events. A task's
    /// completion notification follows its last callback.
    public var notificationCenter: NotificationCenter? {
        get { notifications.center }
        set { notifications.center = newValue }
    }
}
#endif
