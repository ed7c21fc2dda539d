import ArgumentParser
import Sterna
import SternaTransfers

/// Adds downloads to a store, and carries them on until they are over.
struct TransfersAddCommand: AsyncParsableCommand, TransferSessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Download files; tern transfers resume continues interrupted ones.",
        discussion: """
            Takes URLs. A file goes to the current folder under the name in its URL; --into
            names another folder, -o and --sha256 are for one URL. A file that exists is
            kept, and its download fails. If an unfinished transfer of the store has the
            same file and URL, that one continues, as it was added.
            The store keeps the URL, the file, header fields, --sha256 and --segments.
            The other options apply only to this command; so do the values of secret
            header fields, --auth and --bearer, which are given again to resume.
            """)

    @Argument(help: ArgumentHelp("The URLs.", valueName: "URL"))
    var urls: [String] = []

    @OptionGroup
    var store: StoreOptions

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file to save to, for one URL.", valueName: "file"))
    var path: String?

    @Option(
        name: .customLong("into"),
        help: ArgumentHelp("The folder of the files; the current one by default.", valueName: "folder"))
    var folder: String?

    @Option(
        name: .customLong("sha256"),
        help: ArgumentHelp(
            "The SHA-256 of the file, in hexadecimal digits; another file fails. For one URL.", valueName: "hex"))
    var sha256: String?

    @Option(help: ArgumentHelp("The maximum number of connections for a file, up to 16.", valueName: "count"))
    var segments = 1

    @OptionGroup
    var running: TransferRunOptions

    @OptionGroup(title: "Request")
    var credentials: CredentialOptions

    @OptionGroup(title: "Request")
    var aws: AWSOptions

    @OptionGroup(title: "Request")
    var fields: TransferHeaderOptions

    @OptionGroup(title: "Connection")
    var transport: TransportOptions

    @OptionGroup(title: "Connection")
    var redirects: RedirectOptions

    @OptionGroup(title: "Connection")
    var retries: RetryOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "Routing")
    var routing: RoutingOptions

    func validate() throws {
        guard !urls.isEmpty else { throw ValidationError("The URL is missing; write tern transfers add URL.") }
        try aws.check(credentials)
        if urls.count > 1, path != nil {
            throw ValidationError("-o names one file, but there are \(urls.count) URLs; write --into FOLDER.")
        }
        if urls.count > 1, sha256 != nil {
            throw ValidationError("--sha256 is of one file, but there are \(urls.count) URLs.")
        }
        if path != nil, folder != nil {
            throw ValidationError("-o and --into exclude each other: each says where the file goes.")
        }
        if path == "-" {
            throw ValidationError("A transfer needs a file; for standard output write tern GET URL.")
        }
        if path?.isEmpty == true || folder?.isEmpty == true { throw ValidationError("-o and --into take a path.") }
        try SavingOptions.check(sha256: sha256)
        guard (1...16).contains(segments) else { throw ValidationError("--segments takes a number from 1 to 16.") }
    }

    func run() async throws {
        let limit = TransferLimit(connection)
        let targets = try urls.map { text throws(SternaError) in
            // Fragments are not sent.
            try Target.url(Target.expand(text)).removingFragment()
        }
        let files = try files(of: targets)
        let (headers, secrets, values) = TransferSecrets.split(try options.headers())
        let changes = TransferChanges()
        let store = try await store.open(concurrency: running.jobs) { settings in
            settings.secret = { values[$0] }
            settings.stateChanged = { changes.note($0) }
        }
        let session = try await options.session(targets)
        // All files are checked before any download is added.
        var earlier: [String: TransferCompletion] = [:]
        for (url, file) in zip(targets, files) {
            guard let known = await store.unfinishedDownload(to: file) else { continue }
            try check(known, url, values)
            earlier[file] = known
        }
        var settings = TransferOptions()
        (settings.sha256, settings.maxSegments) = (sha256?.lowercased(), segments)
        var transfers: [Transfer] = []
        for (url, file) in zip(targets, files) {
            if let known = earlier[file] {
                transfers.append(try await carryOn(known, store, session))
                continue
            }
            transfers.append(
                try await TransferAdvice.advising {
                    try await store.download(
                        url, to: file, with: session, headers: headers, secrets: secrets, options: settings)
                })
        }
        let display = DownloadDisplay(isSilent: running.silent)
        try await TransferRun(store: store, transfers: transfers, changes: changes, display: display, limit: limit)
            .run()
    }

    /// Returns the file of each URL. Throws `UsageError` for a URL without a name, and for two with the same file.
    private func files(of urls: [HTTPURL]) throws(UsageError) -> [String] {
        var files: [String] = []
        var known: Set<String> = []
        for url in urls {
            guard
                let file = path
                    ?? DownloadFileName.name(of: url).map({ name in folder.map { "\($0)/\(name)" } ?? name })
            else {
                throw UsageError("The URL \(Redaction.show(url)) does not end in a file name; write -o FILE.")
            }
            guard known.insert(file).inserted else {
                throw UsageError(
                    "Two URLs have the file \(DownloadLine.printable(file)); add each by a command of its own, with -o FILE."
                )
            }
            files.append(file)
        }
        return files
    }

    /// Throws `UsageError` if an unfinished transfer to the same file is not the download that is to be added.
    private func check(_ known: TransferCompletion, _ url: HTTPURL, _ values: [String: String]) throws(UsageError) {
        let (id, name) = (TransferTable.shortID(known.id), TransferTable.name(known))
        let advice = "cancel that by tern transfers cancel \(id), or write another file by -o FILE."
        guard known.details.url == url else {
            throw UsageError(
                "The transfer \(id), which is not over, saves \(Redaction.show(known.details.url)) to \(name); \(advice)"
            )
        }
        if let sha256, sha256.lowercased() != known.details.options.sha256?.lowercased() {
            throw UsageError("The transfer \(id) to \(name), which is not over, has another SHA-256 or none; \(advice)")
        }
        if let field = TransferSecrets.missing(known.details, values) {
            throw UsageError("\(name) needs a secret that is not stored; write -H '\(field): VALUE'.")
        }
    }

    private func carryOn(_ known: TransferCompletion, _ store: TransferStore, _ session: Session) async throws
        -> Transfer
    {
        guard let transfer = try await store.take(known.id, with: session) else {
            throw UsageError(
                "Another command carries \(TransferTable.name(known)) on; end that with Ctrl-C first.",
                status: ExitStatus.failure)
        }
        if !running.silent {
            printError(
                "\(TransferTable.name(known)) is in the store already, as \(TransferTable.shortID(known.id)); it goes on as it was added."
            )
        }
        try await transfer.begin()
        return transfer
    }
}
