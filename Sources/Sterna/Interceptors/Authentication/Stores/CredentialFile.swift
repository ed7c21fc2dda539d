import SternaCore
import SternaSerialization

/// The content of a ``FileCredentialStore``'s file.
///
///     {
///       "version": 1,
///       "credentials": [
///         {"origin": "https://example.com", "realm": "Staff", "user": "ada", "password": "…"},
///         {"origin": "https://api.example.com:8443", "token": "…"}
///       ]
///     }
struct CredentialFile: Sendable, Hashable {
    var credentials: [ProtectionSpace: Credential] = [:]

    /// The limits of a file.
    enum Limits {
        static let bytes = 1 << 20
        static let credentials = 4_096
    }

    /// An error without any part of the file, which has secrets.
    struct Fault: Error, Hashable {
        let reason: String
    }

    private static let version = 1

    init() {}

    /// Reads the content; throws unless ``content()`` could have written it, up to white space and order.
    init(parsing bytes: some Collection<UInt8>) throws(Fault) {
        guard bytes.count <= Limits.bytes else { throw Fault(reason: "it is longer than \(Limits.bytes) bytes") }
        let root: JSON
        do {
            root = try JSON(
                parsing: Array(bytes),
                limits: JSON.ParseLimits(depth: 4, bytes: Limits.bytes, values: 8 * Limits.credentials))
        } catch {
            throw Fault(reason: "it is not JSON")
        }
        guard let file = root.object, Set(file.keys) == ["version", "credentials"],
            let list = file["credentials"]?.array
        else { throw Fault(reason: "it is not a file of credentials") }
        guard file["version"]?.int == Self.version else { throw Fault(reason: "it is of another version") }
        guard list.count <= Limits.credentials else { throw Fault(reason: "it has too many credentials") }
        for (index, item) in list.enumerated() {
            guard let entry = item.object, let (space, credential) = Self.entry(entry) else {
                throw Fault(reason: "credential \(index + 1) is invalid")
            }
            guard credentials.updateValue(credential, forKey: space) == nil else {
                throw Fault(reason: "credential \(index + 1) is for the same space as another one")
            }
        }
    }

    private static func entry(_ entry: JSON.Object) -> (ProtectionSpace, Credential)? {
        guard let text = entry["origin"]?.string, let url = try? HTTPURL(text), "\(url.origin)" == text else {
            return nil
        }
        var names = Set(entry.keys)
        names.remove("origin")
        var realm: String?
        if let value = entry["realm"] {
            guard let given = value.string else { return nil }
            realm = given
            names.remove("realm")
        }
        let space = ProtectionSpace(origin: url.origin, realm: realm)
        if names == ["user", "password"], let user = entry["user"]?.string, let password = entry["password"]?.string {
            return (space, Credential(user: user, password: password))
        }
        guard names == ["token"], let token = entry["token"]?.string else { return nil }
        return (space, .bearer(token))
    }

    /// Returns the content as JSON in UTF-8, sorted by origin and realm; throws if it exceeds the limits.
    func content() throws(Fault) -> [UInt8] {
        guard credentials.count <= Limits.credentials else { throw Fault(reason: "it has too many credentials") }
        let spaces = credentials.keys.sorted { ("\($0.origin)", $0.realm ?? "") < ("\($1.origin)", $1.realm ?? "") }
        let list = spaces.map { space -> JSON in
            var members: [(String, JSON)] = [("origin", .string("\(space.origin)"))]
            if let realm = space.realm { members.append(("realm", .string(realm))) }
            if let credential = credentials[space] {
                if let user = credential.user {
                    members += [("user", .string(user)), ("password", .string(credential.secret))]
                } else {
                    members.append(("token", .string(credential.secret)))
                }
            }
            return .object(.init(pairs: members))
        }
        let root = JSON.object(
            .init(pairs: [("version", .number(.init(Self.version))), ("credentials", .array(list))]))
        guard let bytes = try? root.serialized(), bytes.count <= Limits.bytes else {
            throw Fault(reason: "it has too many credentials")
        }
        return bytes
    }
}
