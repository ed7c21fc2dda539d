import SternaTesting

/// The user that servers and proxies of Digest know.
enum DigestUsers {
    static let realm = "terns"
    static let username = ProxyServers.username
    static let password = ProxyServers.password

    /// A file in the form of htdigest, hashed by OpenSSL.
    static func file(by algorithm: String) async throws -> String {
        guard let program = OpenSSL.program else { throw ChildProcess.Failure(description: "openssl is not installed") }
        let output = try await ChildProcess.run(
            [program, "dgst", "-\(algorithm)", "-r"], input: Array("\(username):\(realm):\(password)".utf8))
        let hash = String(decoding: output, as: UTF8.self).prefix(while: \.isHexDigit)
        return "\(username):\(realm):\(hash)\n"
    }
}

/// curl, the second client of servers that demand Digest.
enum Curl {
    static let program = ChildProcess.find("curl")

    /// Returns the status of a request; nil where curl is not installed. The user names are read from standard input.
    static func status(
        _ url: String, _ arguments: [String] = [], user: String? = nil, proxyUser: String? = nil
    ) async throws -> Int? {
        guard let program else {
            if ChildProcess.mayNotSkip { throw ChildProcess.Failure(description: "curl is not installed") }
            return nil
        }
        var configuration = "url = \"\(url)\"\n"
        if let user { configuration += "user = \"\(user)\"\n" }
        if let proxyUser { configuration += "proxy-user = \"\(proxyUser)\"\n" }
        let noProxy = arguments.contains("--proxy") ? "" : "*"
        let output = try await ChildProcess.run(
            [program, "-q", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--noproxy", noProxy, "-K", "-"] + arguments,
            input: Array(configuration.utf8))
        return Int(String(decoding: output, as: UTF8.self))
    }
}
