import ArgumentParser
import Sterna

/// Command lines of common options, which are read without the parser.
///
/// The parser makes every option of the command before it reads the first word, and asks the runtime for the conformances of each
/// type of option; each answer takes a search through all conformances of the program. For a short request that is three quarters of
/// its time, and a pattern of URLs would pay it for each URL.
extension RequestCommand {
    /// Makes the command of a command line that has only common options. Nil for any other, and for one that is wrong, which the
    /// parser reads and reports.
    ///
    /// The values are those that the parser would make.
    ///
    /// - Parameter line: the arguments after the name of the command.
    init?(simple line: [String]) {
        guard let words = RequestWord.sorted(line) else { return nil }
        self.init()
        arguments = []
        (fields, texts, conditions, content) = (.none, .none, .none, .none)
        (aws, credentials, headers, state, jarName) = (.none, .none, .none, .none, .none)
        (transport, redirects, retries, trust) = (.none, .none, .none, .none)
        (routing, dial, output, naming, files) = (.none, .none, .none, .none, .none)
        (several, accepted) = (.none, .none)
        for word in words {
            switch word {
            case .argument(let text): arguments.append(text)
            case .flag(let name): guard take(flag: name) else { return nil }
            case .option(let name, let value, _): guard take(option: name, value) else { return nil }
            }
        }
        do {
            try fields.validate()
            try credentials.validate()
            try headers.validate()
            try transport.validate()
            try redirects.validate()
            try retries.validate()
            try output.validate()
            try naming.validate()
            try validate()
        } catch {
            return nil
        }
    }

    /// Takes a flag; returns whether it is a common one.
    private mutating func take(flag name: String) -> Bool {
        switch name {
        case "-s", "--silent", "--no-progress-meter": output.silent = true
        case "-v", "--verbose": output.verbose = true
        case "-i", "--include": output.include = true
        case "--headers": output.headers = true
        case "--body": output.body = true
        case "--fail": output.fail = true
        case "-f": fields.f = true
        case "-j", "--json": fields.json = true
        case "--form": fields.form = true
        case "-I", "--head": fields.head = true
        case "--ignore-stdin": fields.ignoreStdin = true
        case "-L", "--location": redirects.location = true
        case "-k", "--insecure": trust.insecure = true
        case "-O", "--remote-name": naming.remoteName = true
        case "-S", "--show-error": accepted.showError = true
        case "-N", "--no-buffer": accepted.noBuffer = true
        case "--compressed": accepted.compressed = true
        case "--without-progress": several.withoutProgress = true
        default: return false
        }
        return true
    }

    /// Takes an option with its value; returns whether it is a common one with a value of its type.
    private mutating func take(option name: String, _ value: String) -> Bool {
        switch name {
        case "auth", "user": credentials.auth = value
        case "bearer", "oauth2-bearer": credentials.bearer = value
        case "data": fields.data.append(value)
        case "header": headers.header.append(value)
        case "method", "request": fields.method = value
        case "output": output.path = value
        case "print": output.parts = value
        case "user-agent": headers.userAgent = value
        case "write-out": output.writeOut = value
        case "connect-timeout":
            guard let seconds = Double(value) else { return false }
            transport.connectTimeout = seconds
        case "max-time":
            guard let seconds = Double(value) else { return false }
            transport.maxTime = seconds
        case "retry":
            guard let times = Int(value) else { return false }
            retries.retry = times
        case "url-number":
            guard let number = Int(value) else { return false }
            several.urlNumber = number
        default: return false
        }
        return true
    }
}

// The values of the groups without options. What the parser has not set cannot be read.

extension FieldOptions {
    static var none: Self {
        var options = Self()
        (options.json, options.form, options.f, options.multipart) = (false, false, false, false)
        (options.plist, options.head, options.ignoreStdin) = (false, false, false)
        options.data = []
        options.method = nil
        return options
    }
}

extension DataOptions {
    static var none: Self {
        var options = Self()
        (options.dataRaw, options.dataBinary, options.dataUrlencode, options.urlQuery) = ([], [], [], [])
        (options.parts, options.formString) = ([], [])
        options.get = false
        (options.upload, options.order) = (nil, nil)
        return options
    }
}

extension ConditionOptions {
    static var none: Self {
        var options = Self()
        (options.range, options.time, options.referer, options.etagCompare) = (nil, nil, nil, nil)
        options.etagSave = nil
        return options
    }
}

extension ContentOptions {
    static var none: Self {
        var options = Self()
        options.style = nil
        options.compress = false
        return options
    }
}

extension AWSOptions {
    static var none: Self {
        var options = Self()
        options.awsSigv4 = nil
        return options
    }
}

extension CredentialOptions {
    static var none: Self {
        var options = Self()
        (options.auth, options.authType, options.bearer, options.netrcFile) = (nil, nil, nil, nil)
        (options.basic, options.digest, options.anyauth, options.netrc) = (false, false, false, false)
        options.netrcOptional = false
        return options
    }
}

extension HeaderOptions {
    static var none: Self {
        var options = Self()
        (options.header, options.cookie) = ([], [])
        options.userAgent = nil
        options.keepsCoding = false
        return options
    }
}

extension StateOptions {
    static var none: Self {
        var options = Self()
        (options.cookieJar, options.session, options.sessionReadOnly, options.cache) = (nil, nil, nil, nil)
        options.offline = false
        return options
    }
}

extension CookieJarName {
    static var none: Self {
        var options = Self()
        options.jar = nil
        return options
    }
}

extension TransportOptions {
    static var none: Self {
        var options = Self()
        (options.timeout, options.connectTimeout, options.maxTime, options.limitRate) = (nil, nil, nil, nil)
        (options.http1, options.http2, options.http2PriorKnowledge) = (false, false, false)
        return options
    }
}

extension RedirectOptions {
    static var none: Self {
        var options = Self()
        options.follow = true
        (options.location, options.locationTrusted, options.post301, options.post302) = (false, false, false, false)
        options.post303 = false
        options.limit = nil
        return options
    }
}

extension RetryOptions {
    static var none: Self {
        var options = Self()
        (options.retry, options.retryDelay, options.retryMaxTime) = (nil, nil, nil)
        options.retryAllErrors = false
        return options
    }
}

extension TrustOptions {
    static var none: Self {
        var options = Self()
        options.insecure = false
        (options.cacert, options.cert, options.key, options.tlsMin, options.tlsMax) = (nil, nil, nil, nil, nil)
        (options.pin, options.resolve) = ([], [])
        return options
    }
}

extension RoutingOptions {
    static var none: Self {
        var options = Self()
        (options.proxy, options.proxyUser, options.noproxy, options.unixSocket) = (nil, nil, nil, nil)
        (options.ipv4, options.ipv6) = (false, false)
        return options
    }
}

extension DialOptions {
    static var none: Self {
        var options = Self()
        (options.source, options.proto, options.ciphers) = (nil, nil, nil)
        options.connectTo = []
        return options
    }
}

extension OutputOptions {
    static var none: Self {
        var options = Self()
        (options.path, options.parts, options.writeOut) = (nil, nil, nil)
        (options.include, options.headers, options.body, options.meta) = (false, false, false, false)
        (options.verbose, options.timeline, options.silent, options.curl) = (false, false, false, false)
        (options.showSecrets, options.fail, options.failWithBody, options.checkStatus) = (false, false, false, false)
        options.format = .none
        return options
    }
}

extension FormatOptions {
    static var none: Self {
        var options = Self()
        options.pretty = nil
        options.noColor = false
        return options
    }
}

extension NamingOptions {
    static var none: Self {
        var options = Self()
        (options.remoteName, options.remoteHeaderName, options.download) = (false, false, false)
        options.continues = false
        options.offset = nil
        return options
    }
}

extension FileOptions {
    static var none: Self {
        var options = Self()
        (options.dumpHeader, options.outputDir, options.maxFilesize) = (nil, nil, nil)
        options.clobber = true
        (options.createDirs, options.remoteTime) = (false, false)
        return options
    }
}

extension PlanOptions {
    static var none: Self {
        var options = Self()
        (options.config, options.urls) = ([], [])
        (options.noConfig, options.next, options.parallel, options.globoff) = (false, false, false, false)
        (options.savesAll, options.failsEarly, options.formatByDefault) = (false, false, false)
        options.withoutProgress = false
        (options.jobs, options.most) = (nil, nil)
        options.urlNumber = 0
        return options
    }
}

extension AcceptedOptions {
    static var none: Self {
        var options = Self()
        (options.showError, options.compressed, options.noBuffer, options.progressBar) = (false, false, false, false)
        (options.noHTTP09, options.removeOnError) = (false, false)
        return options
    }
}
