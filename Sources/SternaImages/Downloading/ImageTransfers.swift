import NIOCore
import Sterna
import SternaCore
import Synchronization

/// Fetches and decodes images as a ``ImageTransferTable`` decides, and completes receipts.
final class ImageTransfers: Sendable {
    private struct State {
        var table: ImageTransferTable
        var receivers: [Int: ImageReceiver] = [:]
        var works: [Int: Work] = [:]
    }

    /// A transfer.
    private struct Work {
        var draft: RequestDraft
        let source: ImageSource
        var task: DataTask?
        var progress: TransferProgress?
        /// The last receiver, after it has cancelled: its image is decoded for the cache.
        var abandoned: ImageReceiver?
        var grace: ClockTimer?
    }

    private let session: Session
    private let decoder: any ImageDecoding
    private let imageCache: (any ImageCache)?
    private let options: ImageDownloaderOptions
    private let state: Mutex<State>

    init(
        _ session: Session, _ decoder: any ImageDecoding, _ imageCache: (any ImageCache)?,
        _ options: ImageDownloaderOptions
    ) {
        (self.session, self.decoder, self.imageCache, self.options) = (session, decoder, imageCache, options)
        let table = ImageTransferTable(
            order: options.downloadPrioritization, maximumActive: options.maximumActiveDownloads)
        state = Mutex(State(table: table))
    }

    var activeCount: Int { state.withLock { $0.table.activeCount } }

    // MARK: Receivers

    func add(_ receiver: ImageReceiver) {
        let (number, request) = (receiver.receipt.number, receiver.receipt.request)
        let raised = state.withLock { state -> DataTask? in
            state.receivers[number] = receiver
            let joined = state.table.join(number, receiver.source.transferKey(number), request.priority)
            var work = state.works[joined.transfer] ?? Work(draft: request.draft, source: receiver.source)
            work.grace?.cancel()
            (work.abandoned, work.grace) = (nil, nil)
            if let priority = joined.raised { work.draft.settings.priority = priority }
            state.works[joined.transfer] = work
            return joined.raised == nil ? nil : work.task
        }
        raised?.priority = request.priority
        startWaiting()
    }

    /// Removes a receiver. Returns whether it was waiting.
    func cancel(_ number: Int) -> Bool {
        let (wasWaiting, task) = state.withLock { state -> (Bool, DataTask?) in
            guard let receiver = state.receivers.removeValue(forKey: number) else { return (false, nil) }
            switch state.table.leave(number) {
            case .nothing: return (true, nil)
            case .removed(let id):
                state.works[id] = nil
                return (true, nil)
            case .abandoned(let id): return (true, abandon(id, receiver, &state))
            }
        }
        task?.cancel()
        return wasWaiting
    }

    /// Completes the receivers of a transfer that wait for the image of a key.
    private func answer(_ id: Int, _ result: Result<DecodedImage, SternaError>, _ key: ImageCacheKey) {
        let receipts = state.withLock { state in
            if state.works[id]?.abandoned?.key == key { state.works[id]?.abandoned = nil }
            let meant = Set(
                state.table.receivers(of: id).filter { number in state.receivers[number]?.key == key })
            return take(meant, from: id, &state)
        }
        for receipt in receipts { receipt.answer(result) }
    }

    private func take(_ meant: Set<Int>, from id: Int, _ state: inout State) -> [ImageDownloadReceipt] {
        state.table.take(meant, from: id).compactMap { state.receivers.removeValue(forKey: $0)?.receipt }
    }

    // MARK: Abandoned transfers

    /// Decides whether a transfer continues whose last receiver has cancelled. Returns the task to cancel if not.
    private func abandon(_ id: Int, _ receiver: ImageReceiver, _ state: inout State) -> DataTask? {
        let isKept = imageCache != nil && receiver.source.isStoredInMemory
        guard isKept, options.abandonedTransfers.goesOn(state.works[id]?.progress) else { return giveUp(id, &state) }
        let time = session.loopClock
        state.works[id]?.abandoned = receiver
        state.works[id]?.grace = time.clock.schedule(
            in: TimeAmount(clamping: options.abandonedTransfers.grace), on: time.loop
        ) { [weak self] in
            self?.giveUpIfAbandoned(id) { _ in true }
        }
        return nil
    }

    /// Detaches a transfer, so that later receivers get a new one. Returns the task to cancel.
    private func giveUp(_ id: Int, _ state: inout State) -> DataTask? {
        state.table.detach(id)
        state.works[id]?.abandoned = nil
        return state.works[id]?.task
    }

    private func giveUpIfAbandoned(_ id: Int, _ isMeant: (TransferProgress?) -> Bool) {
        let task = state.withLock { state -> DataTask? in
            guard let work = state.works[id], work.abandoned != nil, isMeant(work.progress) else { return nil }
            return giveUp(id, &state)
        }
        task?.cancel()
    }

    private func report(_ id: Int, _ progress: TransferProgress) {
        let receipts = state.withLock { state in
            state.works[id]?.progress = progress
            return state.table.receivers(of: id).compactMap { state.receivers[$0]?.receipt }
        }
        for receipt in receipts { receipt.progressed?(progress) }
        if receipts.isEmpty { giveUpIfAbandoned(id) { !options.abandonedTransfers.goesOn($0) } }
    }

    // MARK: Transfers

    private func startWaiting() {
        for id in state.withLock({ $0.table.begin() }) {
            Task { await run(id) }
        }
    }

    /// Fetches a file, and completes all its receivers.
    private func run(_ id: Int) async {
        answerFromMemory(id)
        if let work = state.withLock({ next(id, &$0) == nil ? nil : $0.works[id] }) {
            do {
                let reply = try await fetch(id, work)
                while let wanted = state.withLock({ next(id, &$0) }) {
                    answer(id, await make(wanted, of: reply, work.source), wanted.key)
                }
            } catch {
                fail(id, .wrap(error, as: .interceptorFailed, phase: .read, "\(error)"))
            }
        }
        startWaiting()
    }

    /// Returns the next receiver of a transfer, or the one that abandoned it; ends the transfer if there is none.
    private func next(_ id: Int, _ state: inout State) -> ImageReceiver? {
        let waiting = state.table.receivers(of: id).first.flatMap { state.receivers[$0] }
        if let next = waiting ?? state.works[id]?.abandoned { return next }
        end(id, &state)
        return nil
    }

    private func end(_ id: Int, _ state: inout State) {
        state.table.end(id)
        state.works.removeValue(forKey: id)?.grace?.cancel()
    }

    /// Ends a transfer with an error.
    private func fail(_ id: Int, _ error: SternaError) {
        let receipts = state.withLock { state in
            let receipts = take(Set(state.table.receivers(of: id)), from: id, &state)
            end(id, &state)
            return receipts
        }
        for receipt in receipts { receipt.answer(.failure(error)) }
    }

    /// Completes receivers whose images were cached while they waited.
    private func answerFromMemory(_ id: Int) {
        guard let imageCache else { return }
        let keys = state.withLock { state in
            Set(
                state.table.receivers(of: id).compactMap { number -> ImageCacheKey? in
                    guard let receiver = state.receivers[number], receiver.source.isReadFromMemory else { return nil }
                    return receiver.key
                })
        }
        for key in keys {
            if let image = imageCache.image(for: key) { answer(id, .success(image), key) }
        }
    }

    private func fetch(_ id: Int, _ work: Work) async throws -> Reply {
        var draft = work.draft
        if draft.settings.ownResponseSerializer == nil {
            draft.settings.responseSerializer = ImageDataResponseSerializer(validation: options.validation)
        }
        let own = draft.settings.downloadProgress
        draft.settings.downloadProgress = { [weak self] progress in
            own?(progress)
            self?.report(id, progress)
        }
        let task = session.dataTask(draft)
        let isWanted = state.withLock { state in
            state.works[id]?.task = task
            return state.works[id]?.abandoned != nil || !state.table.receivers(of: id).isEmpty
        }
        if !isWanted { task.cancel() }
        return try await task.value
    }

    /// Decodes a file for a receiver, and caches the image in memory.
    private func make(
        _ wanted: ImageReceiver, of reply: Reply, _ source: ImageSource
    ) async -> Result<DecodedImage, SternaError> {
        let request = wanted.receipt.request
        var decoding = options.decoding
        decoding.target = request.target
        if let scale = request.scale { decoding.scale = scale }
        let serializer = ImageResponseSerializer(
            decoder: decoder, options: decoding,
            validation: request.draft.settings.ownResponseSerializer?.validation ?? options.validation)
        do {
            let image = try await BlockingWork.images.run {
                let decoded = try reply.value(by: serializer).image()
                return try request.filter?.filter(decoded) ?? decoded
            }
            if let imageCache, source.isStoredInMemory,
                imageCache.shouldCache(image, for: source.request, response: reply.response)
            {
                imageCache.add(image, for: wanted.key)
            }
            return .success(image)
        } catch {
            let failure = SternaError.wrap(
                error, as: .decodingFailed, phase: .decode, "The image could not be decoded or filtered: \(error)")
            return .failure(failure.at(source.request))
        }
    }
}
