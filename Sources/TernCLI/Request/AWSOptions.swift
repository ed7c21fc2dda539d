import ArgumentParser
import Sterna
import SternaSigning

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

    /// Throws for other credentials, which a signature would replace.
    func check(_ credentials: CredentialOptions) throws(ValidationError) {
        guard awsSigv4 != nil else { return }
        if credentials.bearer != nil {
            throw ValidationError("--aws-sigv4 signs with the access key of --auth key:secret; leave out --bearer.")
        }
        guard let type = credentials.authType, type != .awsSigv4 else { return }
        throw ValidationError(
            "--auth-type \(type.rawValue) and --aws-sigv4 exclude each other: each says how --auth is sent.")
    }

    /// Returns the signature's names and keys; nil if requests are not to be signed. Asks for a missing secret key.
    ///
    /// - Parameters:
    ///   - isAsked: whether another option asks for signatures.
    ///   - auth: the access key and the secret key of `--auth`, separated by a colon; nil for the environment's.
    func signer(isAsked: Bool = false, auth: String?) throws -> AWSSigner? {
        guard awsSigv4 != nil || isAsked else { return nil }
        let argument = try AWSSignatureArgument(awsSigv4 ?? "aws:amz")
        guard let auth else { return AWSSigner(argument: argument, credentials: AWSEnvironmentCredentials()) }
        let (key, secret) = try CredentialOptions.split(auth) { "Secret key for \($0): " }
        return AWSSigner(argument: argument, credentials: AWSCredentials(accessKey: key, secretKey: secret))
    }

    /// Returns how to sign the requests for a URL; nil for no signature. Throws as ``AWSSigner/signing(for:service:)`` does.
    func signing(
        isAsked: Bool = false, auth: String?, for url: HTTPURL, service: String? = nil
    ) throws -> AWSSigning? {
        try signer(isAsked: isAsked, auth: auth)?.signing(for: url, service: service)
    }
}

/// The names of a signature, and the access key.
struct AWSSigner {
    let argument: AWSSignatureArgument
    let credentials: any AWSCredentialProvider

    /// Returns how to sign the requests for a URL.
    ///
    /// - Parameter service: the service of the requests if `--aws-sigv4` names none; nil for that of the host.
    /// - Throws: `ValidationError`, for a host that does not name region and service.
    func signing(for url: HTTPURL, service: String? = nil) throws(ValidationError) -> AWSSigning {
        var argument = argument
        if let service = service ?? AWSSignatureArgument.storage(at: url) { argument.expect(service, at: url) }
        return try argument.signing(credentials, for: url)
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

    /// The service S3 if `s3` follows a bucket's name in the host; nil for other hosts.
    static func storage(at url: HTTPURL) -> String? {
        url.hostKind == .domain && url.host.split(separator: ".").dropFirst().contains("s3") ? "s3" : nil
    }

    /// Takes a service, and the region that follows it in the host's name, if the argument has none: the name may begin with a
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

    /// Returns how to sign requests for a URL, whose host names service and region as in `service.region.example.com` if the
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
