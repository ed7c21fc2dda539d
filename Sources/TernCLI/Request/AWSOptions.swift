import ArgumentParser
import Sterna

/// The option that signs requests by AWS Signature Version 4.
struct AWSOptions: ParsableArguments {
    @Option(
        name: .customLong("aws-sigv4"),
        help: ArgumentHelp(
            "Sign by AWS Signature Version 4 with the access key of --auth key:secret, or of the environment: aws:amz:region:service, as curl takes it. Region and service are taken from the host where they are left out.",
            valueName: "provider1[:provider2[:region[:service]]]"))
    var awsSigv4: String?

    func validate() throws {
        if let awsSigv4 { _ = try AWSSignatureArgument(awsSigv4) }
    }

    /// Returns how to sign a request; nil if it is not asked for.
    ///
    /// - Parameters:
    ///   - isAsked: whether another option asks for it.
    ///   - auth: the access key and the secret key of `--auth`, separated by a colon; nil for the environment's.
    ///   - service: the service that requests are for, where the option names none; nil for that of the host.
    /// - Throws: `ValidationError`, for a host that does not tell region and service.
    func signing(
        isAsked: Bool = false, auth: String?, for url: HTTPURL, service: String? = nil
    ) throws -> AWSSigning? {
        guard awsSigv4 != nil || isAsked else { return nil }
        var argument = try AWSSignatureArgument(awsSigv4 ?? "aws:amz")
        if let service { argument.expect(service, at: url) }
        guard let auth else { return try argument.signing(AWSEnvironmentCredentials(), for: url) }
        let colon = auth.utf8.firstIndex(of: UInt8(ascii: ":"))
        let key = colon.map { String(auth[..<$0]) } ?? auth
        let secret =
            try colon.map { String(auth[auth.utf8.index(after: $0)...]) }
            ?? PasswordPrompt.ask("Secret key for \(key): ")
        return try argument.signing(AWSCredentials(accessKey: key, secretKey: secret), for: url)
    }
}

/// The value of `--aws-sigv4`: names of the vendor, the region and the service.
struct AWSSignatureArgument: Hashable, Sendable {
    /// The vendor's name in the algorithm, such as `aws`.
    var vendor: String

    /// The vendor's name in header fields, such as `amz`.
    var fieldName: String
    var region: String?
    var service: String?

    /// Reads curl's form; a missing second name is the first.
    init(_ text: String) throws(ValidationError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let isName = { (part: String) in
            part.utf8.count <= 64
                && part.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
                        || $0 == 0x5F
                }
        }
        guard (1...4).contains(parts.count), let vendor = parts.first, !vendor.isEmpty, parts.allSatisfy(isName) else {
            throw ValidationError(
                "--aws-sigv4 takes provider1[:provider2[:region[:service]]], as in aws:amz:eu-central-1:s3.")
        }
        let part = { (index: Int) in parts.indices.contains(index) && !parts[index].isEmpty ? parts[index] : nil }
        self.vendor = vendor
        fieldName = part(1) ?? vendor
        region = part(2)
        service = part(3)
    }

    /// Takes a service, and the region that follows it in the host's name, where the argument has none: the name may begin with a
    /// bucket's, as in `photos.s3.eu-central-1.amazonaws.com`.
    mutating func expect(_ service: String, at url: HTTPURL) {
        guard self.service ?? service == service else { return }
        self.service = service
        let labels = url.hostKind == .domain ? url.host.split(separator: ".").map(String.init) : []
        guard region == nil, let place = labels.lastIndex(of: service) else { return }
        let names = labels[(place + 1)...].filter { $0 != "dualstack" }
        // The rest is the provider's domain, which has two labels at least.
        if names.count >= 3 { region = names.first }
    }

    /// Returns how to sign requests for a URL, whose host names service and region as in `service.region.example.com` where the
    /// argument does not.
    func signing(_ credentials: some AWSCredentialProvider, for url: HTTPURL) throws(ValidationError) -> AWSSigning {
        let labels = url.hostKind == .domain ? url.host.split(separator: ".").map(String.init) : []
        let hasNames = labels.count >= 3
        guard let service = service ?? (hasNames ? labels.first : nil),
            let region = region ?? (hasNames ? labels.dropFirst().first : nil)
        else {
            throw ValidationError(
                "--aws-sigv4 needs region and service, which the host does not name: aws:amz:eu-central-1:s3.")
        }
        return AWSSigning(
            region: region, service: service, credentials: credentials, vendor: vendor, fieldName: fieldName)
    }
}
