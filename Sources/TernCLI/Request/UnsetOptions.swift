import ArgumentParser

// The values of the groups of options where no option is given. The values that a group has by itself are declarations for the
// parser, and cannot be read before it has set them.

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
        options.hsts = nil
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
        (options.proxyDigest, options.proxyBasic, options.proxyAnyauth) = (false, false, false)
        (options.ipv4, options.ipv6) = (false, false)
        return options
    }
}

extension DialOptions {
    static var none: Self {
        var options = Self()
        (options.source, options.proto, options.ciphers, options.requestTarget) = (nil, nil, nil, nil)
        options.pathAsIs = false
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
        (options.dumpHeader, options.outputDir, options.maxFilesize, options.har) = (nil, nil, nil, nil)
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
