import ArgumentParser
import Sterna
import SternaPlatform
import SternaRecorder
import SternaSigning

/// The job of a command line: downloads, shown while they run.
struct DownloadJob {
    let urls: [HTTPURL]
    let saving: SavingOptions
    let sender: SenderOptions
    let aws: AWSOptions
    let connection: ConnectionOptions
    let trust: TrustOptions
    let routing: RoutingOptions

    /// Header fields in addition to those of the options.
    var items: [Item] = []
    /// Whether no progress is drawn.
    var hidesProgress = false

    /// The seconds that writing the received bytes to the disk may take after a signal.
    static let patience = 60

    /// Runs the downloads; throws the exit status of the first that failed, whose error was shown.
    func run() async throws {
        let destinations = try saving.destinations(of: urls)
        let content = try RequestContent(try sender.headerItems() + items, as: .json)
        let given = sender.credentials
        let signer = try aws.signer(isAsked: given.authType == .awsSigv4, auth: given.auth)
        let signings = try urls.map { url throws(ValidationError) in try signer?.signing(for: url) }
        let entered = signer == nil ? try given.entered() : nil
        let state = try await CommandState.open(
            sender.state, cookieFiles: sender.cookieFiles, urls: urls, credentials: entered, headers: content.headers)
        try RequestJob.check(state, connection)
        let (proxies, netrc) = (try routing.proxies(), try sender.credentials.netrcAccess())
        let session = try session(removing: content.removedHeaders, state, proxies, netrc?.file)
        try routing.checkSocket()
        let drafts = zip(zip(urls, signings), destinations).map { target, destination in
            let (url, signing) = target
            let kept = state.completed(content.headers, entered, for: url, isSigned: signing != nil)
            var sent = content
            sent.headers = kept.headers
            var draft = RequestDraft(.get, url, headers: sent.headers)
            draft.settings.auth.secretHeaders = sent.secretHeaders
            kept.credentials?.given.apply(to: &draft.settings)
            if kept.credentials == nil, signing == nil, let netrc {
                netrc.credentials(
                    for: url, headers: sent, isRouted: routing.isProxied(url, proxies) || !trust.resolve.isEmpty
                ).apply(to: &draft.settings)
            }
            if let signing { draft.settings.auth.awsSigning = signing }
            return (draft: draft, to: destination)
        }
        SignalWatch.wait(seconds: Self.patience)
        let display = DownloadDisplay(isSilent: saving.silent || hidesProgress)
        let names = urls.map { DownloadLine.printable(DownloadFileName.name(of: $0) ?? $0.host) }
        let batch = session.downloadBatch(drafts, concurrency: saving.jobs, options: saving.options)
        let snapshot = BatchSnapshot(batch: batch, names: names)
        let statuses = await display.run({ snapshot.screen() }) {
            await withTaskCancellationHandler {
                await report(batch, names, display)
            } onCancel: {
                Task { await batch.cancelProducingResumeData() }
            }
        }
        let isComplete = !statuses.contains { $0 != nil }
        if !isComplete { await RequestJob.trySaving(state) }
        if Task.isCancelled, batch.tasks.contains(where: { $0.error != nil }) {
            interrupted(batch)
            throw CancellationError()
        }
        if let status = statuses.compactMap(\.self).first { throw ExitCode(status) }
        try await state.save()
    }

    private func session(
        removing removed: Set<String>, _ state: CommandState, _ proxies: ProxySettings, _ netrc: NetrcFile?
    ) throws -> Session {
        let policies = try urls.map { try trust.policy(for: $0) }
        let engine = try trust.engine(routing.families)
        return try Session { settings in
            // The policies of all URLs are the same; a URL that does not fit them was refused.
            if let policy = policies.first { settings.trust.policy = policy }
            settings.network.engine = engine
            connection.apply(to: &settings)
            // A status from 400 on is an error.
            settings.retry = connection.retries.policy(for: .get, fails: true)
            routing.apply(to: &settings, proxies)
            settings.auth.netrc = netrc
            settings.decodesContent = sender.fields.decodesContent
            state.apply(to: &settings)
            if !removed.isEmpty {
                settings.networkInterceptors = [
                    NetworkLog(removedHeaders: removed) { _ in
                    } redirect: { _ in
                    }
                ]
            }
            if let recorder = HARRecording.recorder { settings.events.record(with: recorder) }
        }
    }

    // MARK: Messages

    /// Prints a line for each file when it ends; returns the exit status of each that failed, in the order of the URLs.
    private func report(
        _ batch: DownloadBatch, _ names: [String], _ display: DownloadDisplay
    ) async -> [Int32?] {
        let start = ContinuousClock.now
        return await withTaskGroup(of: (Int, Result<DownloadedFile, SternaError>).self) { group in
            for (index, task) in batch.tasks.enumerated() {
                // In a task of its own: a cancelled wait would end before the download has.
                group.addTask { (index, await Task { await Self.outcome(of: task) }.value) }
            }
            var statuses: [Int32?] = Array(repeating: nil, count: batch.tasks.count)
            for await (index, result) in group {
                switch result {
                case .success(let file): display.say(DownloadLine.saved(file))
                case .failure(let error):
                    // How long one of several downloads took is unknown.
                    let time = urls.count == 1 ? ContinuousClock.now - start : .zero
                    let advised = RequestJob.advised(error, after: time, connection, routing)
                    statuses[index] = ExitStatus.code(for: advised)
                    guard let line = ErrorLine.text(for: advised), !line.isEmpty else { continue }
                    display.complain(
                        urls.count > 1 ? "\(names[index]): \(line)" : line, details: ErrorLine.details(of: advised))
                }
            }
            return statuses
        }
    }

    private static func outcome(of task: DownloadTask) async -> Result<DownloadedFile, SternaError> {
        do {
            return .success(try await task.value)
        } catch {
            return .failure(SternaError.wrap(error, as: .interceptorFailed, phase: .read, "\(error)"))
        }
    }

    /// Prints the command that continues the downloads.
    private func interrupted(_ batch: DownloadBatch) {
        let left = zip(urls, batch.tasks).filter { $1.error != nil }
        guard !left.isEmpty, !saving.silent else { return }
        let kept = left.reduce(Int64(0)) { $0 + ($1.1.resumeData?.receivedBytes ?? 0) }
        let command = ContinuingCommand(
            urls: left.map(\.0), saving: saving, sender: sender, aws: aws, items: items, connection: connection,
            trust: trust, routing: routing)
        let hint = command.hidesSecrets ? ", fill in *** and run" : ""
        printError(
            kept > 0 ? "Interrupted; kept \(ByteSize(kept)). To continue\(hint):" : "Interrupted. To begin anew\(hint):"
        )
        printError("  \(command.text)")
    }
}

/// The lines about files.
enum DownloadLine {
    /// Returns the line of a file that was saved.
    static func saved(_ file: DownloadedFile) -> String {
        let rest = file.resumedAt > 0 ? ", continued at \(ByteSize(file.resumedAt))" : ""
        return "Saved \(printable(shortened(file.path))), \(ByteSize(file.length))\(rest)"
    }

    /// Returns a text without control characters.
    static func printable(_ text: String) -> String { FieldSyntax.printable(text, limit: 1_024) }

    /// Returns the path relative to the current folder, if it is below it.
    static func shortened(
        _ path: String, in folder: String = FileManager.default.currentDirectoryPath
    ) -> String {
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        guard path.hasPrefix(prefix), path != prefix else { return path }
        var rest = path.dropFirst(prefix.count)
        while rest.hasPrefix("./") { rest = rest.dropFirst(2) }
        return String(rest)
    }
}
