import ArgumentParser
import Sterna

/// What the command line of a request says; by default nothing.
struct RequestLine: SendingCommand {
    var arguments: [String] = []
    var fields = FieldOptions.none
    var texts = DataOptions.none
    var conditions = ConditionOptions.none
    var content = ContentOptions.none
    var aws = AWSOptions.none
    var credentials = CredentialOptions.none
    var headers = HeaderOptions.none
    var state = StateOptions.none
    var jarName = CookieJarName.none
    var transport = TransportOptions.none
    var redirects = RedirectOptions.none
    var retries = RetryOptions.none
    var trust = TrustOptions.none
    var routing = RoutingOptions.none
    var dial = DialOptions.none
    var output = OutputOptions.none
    var naming = NamingOptions.none
    var files = FileOptions.none
    var several = PlanOptions.none
    var accepted = AcceptedOptions.none

    /// Throws `ValidationError` for options that exclude each other.
    func validate() throws {
        try checkJar()
        try aws.check(credentials)
        if arguments.isEmpty, let data = fields.data.last, Target.hasScheme(data) {
            throw ValidationError(
                "The URL is missing, as --data takes the next argument as the body. To save a download write -O or -o FILE."
            )
        }
        if arguments.isEmpty, headers.cookie.last.map({ !HabitOptions.isCookies($0) }) == true {
            throw ValidationError(
                "The URL is missing, as --cookie takes the next argument as a file of cookies. To show only the body, write --print b."
            )
        }
        if naming.remoteName, output.path != nil {
            throw ValidationError("-O and -o exclude each other: each names the file.")
        }
        try checkBody()
        let isUpload = texts.upload.map { $0 != "-" } == true
        if naming.start != nil, !isUpload, output.path.map({ $0 != "-" }) == true {
            throw ValidationError("-C with a number is for standard output; -C - continues a file.")
        }
        if naming.start != nil, conditions.range != nil || givesBody && !isUpload || fields.head {
            throw ValidationError(
                "-C is for a response's body, or for the file of -T; -r, -I and other bodies do not go with it.")
        }
        guard naming.isDownload else { return }
        guard naming.download || naming.remoteName || output.path.map({ $0 != "-" }) == true else {
            throw ValidationError("-C - continues a file; name it with -O or -o FILE.")
        }
        let isPlain =
            !output.namesParts && output.format.pretty == nil && !output.curl && !output.showSecrets
            && output.writeOut == nil && !output.timeline && !output.failWithBody && !output.checkStatus
            && !state.printsOnly && !fields.head
        guard isPlain, !givesBody, !texts.get else {
            throw ValidationError(
                "\(naming.download ? "--download" : "-C -") is for downloads, which show nothing of the exchange and send no body."
            )
        }
        // These would be ignored, so that the file came from elsewhere or went elsewhere.
        if let other = (conditions.given + files.given + dial.given).first {
            throw ValidationError(
                "\(naming.download ? "--download" : "-C -") does not go with \(other); leave out one of them.")
        }
    }

    /// Whether an option gives the body.
    private var givesBody: Bool { !fields.data.isEmpty || texts.hasTexts || texts.hasParts || texts.upload != nil }

    /// Throws for options of the body that exclude each other.
    private func checkBody() throws {
        let hasTexts = !fields.data.isEmpty || texts.hasTexts
        if texts.get, !hasTexts { throw ValidationError("-G sends --data as the query; give it with -d name=value.") }
        if fields.head, givesBody, !texts.get {
            throw ValidationError("--head sends no body, so --data does not go with it; -G sends it as the query.")
        }
        if hasTexts, texts.hasParts || texts.upload != nil {
            throw ValidationError("--data excludes -F and -T: each is the whole body.")
        }
        if hasTexts, fields.multipart {
            throw ValidationError("--data is the whole body; for the parts of a form write -F name=value.")
        }
    }

    /// The body that options give; nil for none.
    private func givenBody() throws -> GivenBody? {
        if texts.get { return nil }
        if let file = texts.upload {
            return GivenBody(source: file == "-" ? .standardInput : .file(file), mediaType: nil)
        }
        if texts.hasParts { return GivenBody(source: .form(try texts.formParts()), mediaType: nil) }
        return GivenBody(texts.pieces(with: fields.data), mediaType: fields.dataType)
    }

    /// Sends the request and shows the response, or saves it as a download.
    func run() async throws {
        var target = try Target(arguments, method: fields.namedMethod)
        if let file = texts.upload { target = target.uploading(file) }
        // As in curl, -G without a method is a GET.
        if texts.get, target.method == nil { target.method = "GET" }
        if naming.isDownload { return try await download(target).run() }
        var (output, format) = (output, fields.format)
        switch try meaningOfF(target) {
        case .form?: format = .form
        case .fail?: output.fail = true
        case nil: break
        }
        var job = RequestJob(
            target: target, request: request, connection: connection,
            trust: trust, routing: routing, output: output)
        job.format = format
        job.givenBody = try givenBody()
        job.queryTexts = texts.get ? texts.pieces(with: fields.data) : []
        job.addedQuery = texts.queryPieces
        job.ignoresInput = fields.ignoreStdin || fields.head
        job.namesFormat = fields.namesFormat && !several.formatByDefault
        job.showsHead = fields.head
        job.naming = naming
        job.typedURL = arguments.first { Target.expand($0) == target.url }
        job.number = several.urlNumber
        job.conditions = conditions
        job.files = files
        job.dial = dial
        job.hidesProgress = several.withoutProgress
        try await job.run()
    }

    /// Whether standard input would be the body if this were the only request of the command line.
    func wantsInput() throws -> Bool {
        let target = try Target(arguments, method: fields.namedMethod)
        guard !givesBody, !texts.get, !fields.head, !naming.isDownload else { return false }
        let items = try target.items.map { argument throws(UsageError) in try ItemParser.parse(argument) }
        let namesFormat = fields.namesFormat && !several.formatByDefault
        return !items.contains(where: \.isContent) && target.mayTakeInput(namesFormat: namesFormat)
    }

    /// What `-f` can mean: `--form` for HTTPie, `--fail` for curl.
    private enum MeaningOfF { case form, fail }

    /// Returns the meaning of `-f`: fields of a body make it `--form`. Nil without it; throws `UsageError` if both are possible.
    private func meaningOfF(_ target: Target) throws -> MeaningOfF? {
        guard fields.f else { return nil }
        let items = try target.items.map { argument throws(UsageError) in try ItemParser.parse(argument) }
        let hasFields = items.contains { item in
            switch item {
            case .field, .part: true
            case .query, .header, .removedHeader, .body: false
            }
        }
        let advice = "-f may mean --form or --fail here; write the one that you mean."
        guard hasFields else {
            // Standard input may be a form.
            let readsInput =
                !givesBody && !texts.get && !fields.ignoreStdin && !fields.namesFormat
                && target.method.map { Target.takesBody($0) } == true
                && InputKind.of(StandardInput.number) != nil
            if readsInput { throw UsageError(advice) }
            return .fail
        }
        if output.fail { return .form }
        let isOfCurl = accepted.showError || accepted.compressed || redirects.location
        guard !isOfCurl, !fields.json, !fields.plist else { throw UsageError(advice) }
        return .form
    }

    /// Returns the download of `--download` and `-C -`.
    private func download(_ target: Target) throws -> DownloadJob {
        let items = try target.items.map { argument throws(UsageError) in try ItemParser.parse(argument) }
        guard target.method ?? "GET" == "GET", !items.contains(where: \.isContent) else {
            throw UsageError(
                "\(naming.download ? "--download" : "-C -") is for downloads, which are GET requests without a body.")
        }
        let content = try RequestContent(items, as: .json, style: request.style?.style)
        return DownloadJob(
            urls: [try Target.url(target.url).appendingQuery(content.query)],
            saving: try SavingOptions.request(
                path: output.path, remoteName: naming.remoteName, remoteHeaderName: naming.remoteHeaderName,
                silent: output.silent, continues: naming.continues || naming.continuesFile),
            sender: request.sender, aws: request.aws, connection: connection, trust: trust, routing: routing,
            items: items, hidesProgress: several.withoutProgress)
    }
}
