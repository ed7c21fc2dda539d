import Sterna
public import SternaCore

/// An event of a ``TransferQueue``. Those of one transfer come in order; its last one is `finished` or `failed`.
public enum TransferQueueEvent: Sendable {
    /// A transfer has its first turn.
    case started(QueuedTransfer)

    /// The head of a response has arrived; that of a followed redirect excepted. Each attempt has one. Its body is empty here.
    case headersReceived(QueuedTransfer, Response)

    /// A redirect is followed: the response, and the request that is sent next.
    case redirectFollowed(QueuedTransfer, Response, Request)

    /// A task has failed, and is tried again after a pause.
    case retryScheduled(QueuedTransfer, SternaError, Duration)

    /// A transfer has succeeded.
    case finished(QueuedTransfer)

    /// A transfer has failed or was cancelled; then the error's kind is `cancelled`.
    case failed(QueuedTransfer, SternaError)

    /// No transfer is left; with the progress over all. A queue may be filled again.
    case queueFinished(QueueProgress)
}

/// Receives the events of a ``TransferQueue``. All methods default to no-ops.
///
/// They are called in the order of events, one at a time, on ``TransferQueueOptions/callbacks``.
public protocol TransferQueueObserver: Sendable {
    /// A transfer has its first turn.
    func transferStarted(_ transfer: QueuedTransfer)

    /// The head of a response has arrived; that of a followed redirect excepted.
    func headersReceived(_ transfer: QueuedTransfer, _ response: Response)

    /// A redirect is followed.
    func redirectFollowed(_ transfer: QueuedTransfer, _ response: Response, _ following: Request)

    /// A task has failed, and is tried again after a pause.
    func retryScheduled(_ transfer: QueuedTransfer, _ error: SternaError, _ pause: Duration)

    /// A transfer has succeeded.
    func transferFinished(_ transfer: QueuedTransfer)

    /// A transfer has failed or was cancelled.
    func transferFailed(_ transfer: QueuedTransfer, _ error: SternaError)

    /// No transfer is left.
    func queueFinished(_ progress: QueueProgress)
}

extension TransferQueueObserver {
    public func transferStarted(_ transfer: QueuedTransfer) {}
    public func headersReceived(_ transfer: QueuedTransfer, _ response: Response) {}
    public func redirectFollowed(_ transfer: QueuedTransfer, _ response: Response, _ following: Request) {}
    public func retryScheduled(_ transfer: QueuedTransfer, _ error: SternaError, _ pause: Duration) {}
    public func transferFinished(_ transfer: QueuedTransfer) {}
    public func transferFailed(_ transfer: QueuedTransfer, _ error: SternaError) {}
    public func queueFinished(_ progress: QueueProgress) {}
}

/// Closures that receive the events of a ``TransferQueue``, each with the arguments of the method of ``TransferQueueObserver`` that has
/// its name.
public struct TransferQueueHooks: Sendable {
    public var transferStarted: (@Sendable (QueuedTransfer) -> Void)?
    public var headersReceived: (@Sendable (QueuedTransfer, Response) -> Void)?
    public var redirectFollowed: (@Sendable (QueuedTransfer, Response, Request) -> Void)?
    public var retryScheduled: (@Sendable (QueuedTransfer, SternaError, Duration) -> Void)?
    public var transferFinished: (@Sendable (QueuedTransfer) -> Void)?
    public var transferFailed: (@Sendable (QueuedTransfer, SternaError) -> Void)?
    public var queueFinished: (@Sendable (QueueProgress) -> Void)?

    public init() {}

    fileprivate var isEmpty: Bool {
        transferStarted == nil && headersReceived == nil && redirectFollowed == nil && retryScheduled == nil
            && transferFinished == nil && transferFailed == nil && queueFinished == nil
    }

    fileprivate func receive(_ event: TransferQueueEvent) {
        switch event {
        case .started(let transfer): transferStarted?(transfer)
        case .headersReceived(let transfer, let response): headersReceived?(transfer, response)
        case .redirectFollowed(let transfer, let response, let request): redirectFollowed?(transfer, response, request)
        case .retryScheduled(let transfer, let error, let pause): retryScheduled?(transfer, error, pause)
        case .finished(let transfer): transferFinished?(transfer)
        case .failed(let transfer, let error): transferFailed?(transfer, error)
        case .queueFinished(let progress): queueFinished?(progress)
        }
    }
}

extension TransferQueueObserver {
    fileprivate func receive(_ event: TransferQueueEvent) {
        switch event {
        case .started(let transfer): transferStarted(transfer)
        case .headersReceived(let transfer, let response): headersReceived(transfer, response)
        case .redirectFollowed(let transfer, let response, let request): redirectFollowed(transfer, response, request)
        case .retryScheduled(let transfer, let error, let pause): retryScheduled(transfer, error, pause)
        case .finished(let transfer): transferFinished(transfer)
        case .failed(let transfer, let error): transferFailed(transfer, error)
        case .queueFinished(let progress): queueFinished(progress)
        }
    }
}

/// The receivers of a queue's events, in order.
struct QueueReceivers: Sendable {
    private let hooks: TransferQueueHooks
    private let observers: [any TransferQueueObserver]

    /// Nil without closures and observers.
    private let mailbox: TaskMailbox?
    private var readers: [Int: AsyncStream<TransferQueueEvent>.Continuation] = [:]
    private var lastReader = 0

    init(_ options: TransferQueueOptions) {
        (hooks, observers) = (options.hooks, options.observers)
        mailbox = hooks.isEmpty && observers.isEmpty ? nil : TaskMailbox(options.callbacks)
    }

    /// Adds a reader; returns its number.
    mutating func add(_ reader: AsyncStream<TransferQueueEvent>.Continuation) -> Int {
        lastReader += 1
        readers[lastReader] = reader
        return lastReader
    }

    mutating func remove(_ number: Int) -> AsyncStream<TransferQueueEvent>.Continuation? {
        readers.removeValue(forKey: number)
    }

    /// Removes all readers.
    mutating func removeAll() -> [AsyncStream<TransferQueueEvent>.Continuation] {
        defer { readers = [:] }
        return Array(readers.values)
    }

    /// Whether an event is received at all.
    var isEmpty: Bool { mailbox == nil && readers.isEmpty }

    func post(_ event: TransferQueueEvent) {
        for reader in readers.values { reader.yield(event) }
        mailbox?.post { [hooks, observers] in
            hooks.receive(event)
            for observer in observers { observer.receive(event) }
        }
    }
}
