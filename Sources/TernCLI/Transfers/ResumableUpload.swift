import ArgumentParser
import NIOCore
import Sterna
import SternaPlatform
import SternaS3
import SternaSigning
import SternaTransfers

/// How `tern upload` resumes after an interruption.
enum ResumptionName: String, ExpressibleByArgument, CaseIterable {
    case auto, ietf, tus, s3
    case contentRange = "content-range"
    case off

    /// Nil for an upload that no store keeps.
    var resumption: UploadOptions.Resumption? {
        switch self {
        case .auto: .automatic
        case .ietf: .ietf
        case .tus: .tus
        case .s3: .s3
        case .contentRange: .contentRange
        case .off: nil
        }
    }
}

extension UploadOptions.Resumption {
    /// By multipart uploads of S3, whose requests are signed.
    static let s3 = Self.method(S3MultipartUploads().name)
}

extension TransferDescription {
    /// Whether it is an upload to S3.
    var isS3: Bool { kind == .upload && upload?.resumption == .s3 }
}

/// An upload that the store of transfers keeps until it is over: the same command, or `tern transfers resume`, carries it on.
struct ResumableUpload {
    let file: String
    let url: HTTPURL

    /// The options of the upload, with the protocol.
    let upload: UploadOptions
    let headers: Headers
    let request: SendingOptions
    let connection: ConnectionOptions
    let trust: TrustOptions
    let routing: RoutingOptions
    let store: StoreOptions
    let output: OutputOptions

    /// Throws the exit status of a failure that was shown.
    func run() async throws {
        let limit = TransferLimit(connection)
        let display = DownloadDisplay(isSilent: output.silent)
        let session = try await session(display)
        // A file that cannot be written is an error before anything is sent.
        let answer = try output.path.flatMap { $0 == "-" ? nil : try OutputFile($0) }
        let (plain, secrets, values) = TransferSecrets.split(headers)
        let changes = TransferChanges()
        let store = try await store.open { settings in
            settings.secret = { values[$0] }
            settings.stateChanged = { changes.note($0) }
        }
        var transfer = try await earlier(store, session)
        if let transfer {
            try await transfer.begin()
            guard try await end(of: transfer, session, store, changes, display, answer, limit, isEarlier: true) else {
                return
            }
            printError("The file has changed since the upload was interrupted; it begins anew.")
        }
        transfer = try await add(store, session, plain, secrets)
        if let transfer {
            _ = try await end(of: transfer, session, store, changes, display, answer, limit, isEarlier: false)
        }
    }

    /// Waits for the end of a transfer, shows it, and removes it from the store. Returns whether it must start over because the
    /// file has changed since an earlier command. Throws the exit status of a failure that was shown.
    private func end(
        of transfer: Transfer, _ session: Session, _ store: TransferStore, _ changes: TransferChanges,
        _ display: DownloadDisplay, _ answer: OutputFile?, _ limit: TransferLimit?, isEarlier: Bool
    ) async throws -> Bool {
        var failure: ExitCode?
        do {
            // With `-o -`, standard output is for the response's content.
            try await TransferRun(
                store: store, transfers: [transfer], changes: changes, display: display, saysEnd: output.path != "-",
                limit: limit, session: session
            ).run()
        } catch let status as ExitCode {
            failure = status
        }
        // A blocked transfer, and one that ran out of time, stay in the store.
        if let failure, !transfer.status.state.isOver { throw failure }
        guard let failure else {
            do {
                try save(transfer.response, to: answer)
            } catch let nothing as UsageError {
                // The response's content is lost, so the transfer is of no further use.
                try await store.acknowledge(transfer.id)
                throw nothing
            }
            try await store.acknowledge(transfer.id)
            return false
        }
        try await store.acknowledge(transfer.id)
        guard isEarlier, hasChanged(transfer) else { throw failure }
        return true
    }

    /// Writes the response's content to the file, or to standard output. Throws `UsageError` if there is none to write.
    private func save(_ answer: TransferResponse?, to file: OutputFile?) throws {
        guard output.path != nil else { return }
        guard let body = answer?.body else {
            let reason =
                answer == nil
                ? "the server's answer was lost"
                : "the server's answer has more than 64 KiB, which a transfer does not keep"
            throw UsageError(
                "The upload is complete, but nothing was saved by -o: \(reason).", status: ExitStatus.outputFailed)
        }
        let bytes = Bytes(bytes: body)
        guard let file else { return try Descriptor.standardOutput.write(bytes) }
        try file.write(bytes)
        try file.complete()
    }

    private func hasChanged(_ transfer: Transfer) -> Bool {
        if case .failed(let failure) = transfer.status.state { return failure.kind == "fileUnreadable" }
        return false
    }

    private func add(
        _ store: TransferStore, _ session: Session, _ headers: Headers, _ secrets: [String: String]
    ) async throws -> Transfer {
        try await TransferAdvice.advising {
            try await store.upload(file: file, to: url, with: session, upload, headers: headers, secrets: secrets)
        }
    }

    /// Returns the transfer that an interrupted command has left, and which this process now owns. Throws `UsageError` if another
    /// process owns it.
    private func earlier(_ store: TransferStore, _ session: Session) async throws -> Transfer? {
        let path = file.hasPrefix("/") ? file : FileManager.default.currentDirectoryPath + "/" + file
        let found = await store.list().first {
            !$0.state.isOver && $0.details.kind == .upload && $0.details.url == url.removingFragment()
                && $0.details.path == path
        }
        guard let found else { return nil }
        guard let transfer = try await store.take(found.id, with: session) else {
            throw UsageError(
                "Another command uploads \(TransferTable.name(found)) to this URL; end that with Ctrl-C first.",
                status: ExitStatus.failure)
        }
        return transfer
    }

    private func session(_ display: DownloadDisplay) async throws -> Session {
        let credentials = request.sender.credentials
        let isS3 = upload.resumption == .s3
        // A multipart upload cannot begin without a signature.
        let signing = try request.aws.signing(
            isAsked: isS3 || credentials.authType == .awsSigv4, auth: credentials.auth, for: url,
            service: isS3 ? "s3" : nil)
        // Missing keys are an error before the upload is added, rather than in its attempts.
        _ = try await signing?.credentials.credentials()
        let given = signing == nil ? try credentials.given() : CredentialOptions.Given()
        let (policy, engine) = (try trust.policy(for: url), try trust.engine(routing.families))
        let (proxies, netrc) = (try routing.proxies(), try credentials.netrcSetting())
        try routing.checkSocket()
        return try Session(baseURL: url.origin.description) { settings in
            settings.trust.policy = policy
            settings.network.engine = engine
            connection.apply(to: &settings)
            routing.apply(to: &settings, proxies)
            settings.auth.netrc = netrc?.file
            settings.auth.header = given.authorization
            settings.auth.credential = given.credential
            if let policy = given.policy ?? netrc?.policy { settings.auth.policy = policy }
            settings.auth.awsSigning = signing
            if output.verbose { settings.events.observers = [AttemptLog(limit: nil) { display.note($0) }.observer] }
        }
    }
}

/// Header fields of a command line that are secrets: the store has their names, and this process their values.
enum TransferSecrets {
    /// Returns the name of a secret field of a transfer without a value; nil if all have one.
    static func missing(_ details: TransferDescription, _ values: [String: String]) -> String? {
        details.secrets.compactMap(\.first).first { values[$0.lowercased()] == nil }
    }

    /// Throws `UsageError` if the value of a secret field would go to several hosts.
    static func check(_ values: [String: String], for transfers: [TransferDescription]) throws {
        var origins: [String: Set<String>] = [:]
        for details in transfers {
            // By the name under which the store asks for the value, whatever the field's own.
            for name in details.secrets.compactMap(\.last) where values[name] != nil {
                origins[name, default: []].insert(details.url.origin.description)
            }
        }
        guard let (name, found) = origins.first(where: { $0.value.count > 1 }) else { return }
        throw UsageError(
            "The secret \(name) is for one host, and these transfers are with \(found.count); name those of one.")
    }

    /// Returns the fields that are no secrets, the secret ones with the names of their values, and the values.
    static func split(_ headers: Headers) -> (plain: Headers, secrets: [String: String], values: [String: String]) {
        var plain = Headers()
        var (secrets, values) = ([String: String](), [String: String]())
        for line in headers.lines {
            if Redaction.isSecretHeader(line.name) {
                let name = line.name.lowercased()
                secrets[line.name] = name
                values[name] = line.value
            } else {
                plain.append(line.name, line.value)
            }
        }
        return (plain, secrets, values)
    }
}
