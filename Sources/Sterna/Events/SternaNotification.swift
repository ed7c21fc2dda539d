#if Foundation
public import Foundation
import NIOCore
public import SternaCore
public import SternaSerialization

/// The notifications of a session with a ``SessionSettings/Events/notificationCenter``, and the keys of what they carry.
///
///     for await note in NotificationCenter.default.notifications(named: SternaNotification.taskDidComplete) {
///         print((note.object as? SessionTask)?.id ?? 0, note[SternaNotification.error]?.message ?? "done")
///     }
public enum SternaNotification {
    /// A task was started, or resumed after a suspension; the object is the ``SessionTask``.
    public static let taskDidResume = Notification.Name("Sterna.task.didResume")

    /// A task was suspended; the object is the ``SessionTask``.
    public static let taskDidSuspend = Notification.Name("Sterna.task.didSuspend")

    /// A task is complete; the object is the ``SessionTask``. May carry each of the keys below.
    public static let taskDidComplete = Notification.Name("Sterna.task.didComplete")

    /// A session was invalidated, and its last task is complete; the object is the ``Session``.
    public static let sessionDidInvalidate = Notification.Name("Sterna.session.didInvalidate")

    /// The complete file of a download is at its destination; the object is the ``DownloadTask``. Carries ``fileURL``.
    public static let downloadDidMoveFile = Notification.Name("Sterna.download.didMoveFile")

    /// The complete file of a download could not be moved to its destination; the object is the ``DownloadTask``. Carries
    /// ``fileURL``, which is the destination, and ``error``.
    public static let downloadDidFailToMoveFile = Notification.Name("Sterna.download.didFailToMoveFile")

    /// The name of a value that a notification carries.
    public struct Key<Value>: Sendable {
        /// The key in the notification's `userInfo`.
        public let name: String

        package init(name: String) { self.name = name }
    }

    /// The value that the serializer of a task with callbacks has made.
    public static let serializedValue = Key<any Sendable>(name: "Sterna.serializedValue")

    /// The body of the response.
    public static let responseData = Key<Data>(name: "Sterna.responseData")

    /// The serializer of the response.
    public static let serializer = Key<any ResponseSerializer>(name: "Sterna.serializer")

    /// The error that the task failed with.
    public static let error = Key<SternaError>(name: "Sterna.error")

    /// The file of a download.
    public static let fileURL = Key<URL>(name: "Sterna.fileURL")

    /// The metrics of the task, if the session collects metrics.
    public static let metrics = Key<RequestMetrics>(name: "Sterna.metrics")
}

extension Notification {
    /// The value under a key; nil if the notification does not carry it.
    public subscript<Value>(key: SternaNotification.Key<Value>) -> Value? {
        // Unwrapped first: an optional would itself count as a value of any type.
        guard let value = userInfo?[key.name] else { return nil }
        return value as? Value
    }
}

/// Posts notifications of events to a notification centre.
struct NotificationPoster: Sendable {
    let center: NotificationCenter

    /// The values of a notification, under the names of their keys.
    private struct Info {
        private(set) var values: [AnyHashable: Any] = [:]

        mutating func set<Value>(_ key: SternaNotification.Key<Value>, _ value: Value?) {
            if let value { values[key.name] = value }
        }
    }

    /// Whether an event has a notification.
    func concerns(_ event: SternaEvent) -> Bool {
        switch event.kind {
        case .taskResumed, .taskSuspended, .taskCompleted, .downloadFinished, .downloadNotMoved, .sessionInvalidated:
            true
        default: false
        }
    }

    func post(_ event: SternaEvent) {
        if case .sessionInvalidated = event.kind, let session = event.session {
            return post(SternaNotification.sessionDidInvalidate, session)
        }
        guard let task = event.task else { return }
        switch event.kind {
        case .taskResumed: post(SternaNotification.taskDidResume, task)
        case .taskSuspended: post(SternaNotification.taskDidSuspend, task)
        case .taskCompleted(let error): postEnd(of: task, error)
        case .downloadFinished(let path): postMove(SternaNotification.downloadDidMoveFile, task, path, nil)
        case .downloadNotMoved(let path, let error):
            postMove(SternaNotification.downloadDidFailToMoveFile, task, path, error)
        default: break
        }
    }

    private func post(_ name: Notification.Name, _ object: Any, _ fill: (inout Info) -> Void = { _ in }) {
        var info = Info()
        fill(&info)
        center.post(name: name, object: object, userInfo: info.values)
    }

    private func postEnd(of task: SessionTask, _ error: SternaError?) {
        let summary = task.summary
        post(SternaNotification.taskDidComplete, task) { info in
            info.set(SternaNotification.error, error)
            info.set(SternaNotification.metrics, task.metrics)
            info.set(SternaNotification.serializedValue, summary?.value)
            let body = summary?.body ?? error?.body
            info.set(SternaNotification.responseData, body.map { $0.withUnsafeReadableBytes { Data($0) } })
            info.set(SternaNotification.serializer, summary?.serializer)
            info.set(SternaNotification.fileURL, summary?.path.map { URL(fileURLWithPath: $0) })
        }
    }

    private func postMove(_ name: Notification.Name, _ task: SessionTask, _ path: String, _ error: SternaError?) {
        post(name, task) { info in
            info.set(SternaNotification.fileURL, URL(fileURLWithPath: path))
            info.set(SternaNotification.error, error)
        }
    }
}
#endif
