import ArgumentParser
import Sterna
import SternaSigning
import SternaTransfers

/// The header fields of transfers.
struct TransferHeaderOptions: ParsableArguments {
    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")],
        help: ArgumentHelp("A header field; the values of secret ones are not stored.", valueName: "Name: value"))
    var header: [String] = []
}

/// A command that carries transfers on.
protocol TransferSessionCommand: ConnectingCommand {
    var credentials: CredentialOptions { get }
    var aws: AWSOptions { get }
    var fields: TransferHeaderOptions { get }
    var trust: TrustOptions { get }
    var routing: RoutingOptions { get }
}

extension TransferSessionCommand {
    /// The options for the sessions of the transfers.
    var options: TransferSessionOptions {
        TransferSessionOptions(
            credentials: credentials, aws: aws, header: fields.header, connection: connection, trust: trust,
            routing: routing)
    }
}

/// Options for the sessions of transfers.
struct TransferSessionOptions {
    var credentials: CredentialOptions
    var aws: AWSOptions
    var header: [String]
    var connection: ConnectionOptions
    var trust: TrustOptions
    var routing: RoutingOptions

    /// The header fields. Throws `UsageError` for a field that is to be left out, which a transfer cannot record.
    func headers() throws -> Headers {
        let content = try RequestContent(try header.map { try HabitOptions.headerItem($0) }, as: .json)
        try Self.check(content)
        return content.headers
    }

    /// Throws `UsageError` for header fields that are to be left out of the requests of transfers.
    static func check(_ content: RequestContent) throws(UsageError) {
        guard let name = content.removedHeaders.sorted().first else { return }
        throw UsageError(
            "“\(TerminalText.line(name)):” leaves out a field of each request, which transfers cannot; give it a value, or leave it out."
        )
    }

    /// Makes the session of downloads. Throws `UsageError` for credentials that would go to several hosts.
    func session(_ urls: [HTTPURL]) async throws -> Session {
        let sessions = try TransferSessions(self, for: urls)
        try await sessions.checkSigning()
        return sessions.common
    }
}

/// The sessions that carry transfers on: one for each origin of uploads to S3, unless the options sign all; one for the others.
struct TransferSessions {
    private let options: TransferSessionOptions

    /// The session of all other transfers; also of uploads to S3 if the options sign all.
    let common: Session
    private let commonSigning: AWSSigning?
    private let make: (String?, AWSSigning?) throws -> Session
    private var signed: [String: Session] = [:]

    /// Throws `UsageError` for credentials that would go to several hosts.
    init(_ options: TransferSessionOptions, for transfers: [TransferDescription]) throws {
        try self.init(options, for: transfers.map(\.url), hasS3: transfers.contains(where: \.isS3))
    }

    /// - Parameter hasS3: whether uploads to S3 are among them.
    init(_ options: TransferSessionOptions, for urls: [HTTPURL], hasS3: Bool = false) throws {
        self.options = options
        let (credentials, connection, routing) = (options.credentials, options.connection, options.routing)
        let policies = try urls.map { try options.trust.policy(for: $0) }
        let (engine, proxies) = (try options.trust.engine(routing.families), try routing.proxies())
        let netrc = try credentials.netrcSetting()
        // With an upload to S3, --auth is an access key: it must not be sent as a password.
        let signsAll =
            options.aws.awsSigv4 != nil || credentials.authType == .awsSigv4 || hasS3 && credentials.auth != nil
        let given = signsAll ? CredentialOptions.Given() : try credentials.given()
        let origins = Set(urls.map(\.origin.description))
        let hasCredentials = signsAll || given.authorization != nil || given.credential != nil
        guard !hasCredentials || origins.count < 2 else {
            throw UsageError(
                "--auth, --bearer and --aws-sigv4 are for one host, and these transfers are with \(origins.count); name those of one, or use --netrc or the environment's access key."
            )
        }
        // One limit for the requests of all sessions.
        let bandwidth = connection.bandwidth
        make = { base, signing in
            try Session(baseURL: base) { settings in
                if let policy = policies.first { settings.trust.policy = policy }
                settings.network.engine = engine
                connection.apply(to: &settings)
                settings.limits.bandwidth = bandwidth
                routing.apply(to: &settings, proxies)
                settings.auth.netrc = netrc?.file
                if let policy = netrc?.policy { settings.auth.policy = policy }
                settings.auth.awsSigning = signing
                guard signing == nil else { return }
                settings.auth.header = given.authorization
                settings.auth.credential = given.credential
                if let policy = given.policy { settings.auth.policy = policy }
            }
        }
        commonSigning = try urls.first.flatMap { url in
            guard signsAll else { return nil }
            return try options.aws.signing(
                isAsked: true, auth: credentials.auth, for: url, service: hasS3 ? "s3" : nil)
        }
        common = try make(hasCredentials ? origins.first : nil, commonSigning)
    }

    /// Returns the session that carries a transfer on. Throws if its requests cannot be signed.
    mutating func session(for details: TransferDescription) async throws -> Session {
        try await checkSigning()
        guard details.isS3, commonSigning == nil else { return common }
        let origin = details.url.origin.description
        if let known = signed[origin] { return known }
        let signing = try options.aws.signing(isAsked: true, auth: nil, for: details.url, service: "s3")
        _ = try await signing?.credentials.credentials()
        let session = try make(origin, signing)
        signed[origin] = session
        return session
    }

    /// Throws without an access key: a transfer whose requests cannot be signed would fail for good.
    func checkSigning() async throws { _ = try await commonSigning?.credentials.credentials() }

    /// Returns a sentence that says why there is no session.
    static func reason(_ error: any Error) -> String {
        ErrorLine.text(for: error) ?? (error as? ValidationError)?.message ?? "\(error)"
    }
}
