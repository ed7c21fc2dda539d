import SternaCore
import SternaSerialization

#if Foundation
public import Foundation
#endif

/// Where the notifications of a session's tasks are posted; nowhere without Foundation.
struct NotificationSetting: Sendable {
    #if Foundation
    var center: NotificationCenter?

    /// Posts the events of tasks; nil if no notifications are posted.
    var poster: (any TaskObserver)? { center.map { NotificationPoster(center: $0) } }
    #else
    var poster: (any TaskObserver)? { nil }
    #endif
}

/// What a task has made of its response, for the notification that it is complete.
struct TaskSummary: Sendable {
    var value: (any Sendable)?
    var body: Bytes?
    var serializer: (any ResponseSerializer)?
    var path: String?
}

#if Foundation
extension SessionSettings {
    /// The centre that receives a notification when a task is resumed, suspended or completed, when the session is invalidated, and
    /// when a download's file was moved or could not be moved; see ``SternaNotification``. Nil, the default, posts none.
    ///
    ///     let api = try Session { $0.notificationCenter = .default }
    ///
    /// Notifications are posted on ``callbacks``, in order with the task's hooks and observers, and behind them.
    public var notificationCenter: NotificationCenter? {
        get { notifications.center }
        set { notifications.center = newValue }
    }
}
#endif
