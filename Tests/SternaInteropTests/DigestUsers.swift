import SternaTesting

/// The user that servers and proxies of Digest know.
enum DigestUsers {
    static let realm = "terns"
    static let username = ProxyServers.username
    static let password = ProxyServers.password

    /// A file in the form of htdigest, made by OpenSSL from `ada:terns:pw1x`.
    static let md5File = "\(username):\(realm):dd9b309f86c1aa35e4bab0e918d7411c\n"
    static let sha256File =
        "\(username):\(realm):313e0461b040e119e4f4362bd5489e66c4bca03d4fdc68b731defaa53e8cbb7a\n"
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
