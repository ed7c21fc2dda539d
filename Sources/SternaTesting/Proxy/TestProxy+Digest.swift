import Crypto
import SternaPlatform

extension TestProxy {
    /// A proxy's demand for Digest credentials (RFC 7616).
    public struct Digest: Sendable, Hashable {
        /// The hash algorithm.
        public enum Algorithm: String, Sendable, Hashable, CaseIterable {
            case md5 = "MD5"
            case sha256 = "SHA-256"
        }

        /// The hash algorithm, SHA-256 by default.
        public var algorithm: Algorithm
        /// The offered quality (`qop`), `auth` by default; `nil` for none, as in RFC 2069. With `auth-int`, the bodies of requests
        /// have to be empty.
        public var quality: String?
        /// The number of requests that a nonce admits before it is stale; `nil`, the default, for any.
        public var nonceUses: Int?
        /// Whether Basic is also offered, in a field line ahead of Digest, and accepted; false by default.
        public var offersBasic: Bool
        /// Whether a challenge for an old nonce says that it is stale; true by default.
        public var saysStale: Bool

        static let basicChallenge = "Basic realm=\"test proxy\""

        /// Makes a demand.
        public init(
            _ algorithm: Algorithm = .sha256, quality: String? = "auth", nonceUses: Int? = nil,
            offersBasic: Bool = false,
            saysStale: Bool = true
        ) {
            self.algorithm = algorithm
            self.quality = quality
            self.nonceUses = nonceUses
            self.offersBasic = offersBasic
            self.saysStale = saysStale
        }
    }
}

extension TestProxy.Request {
    /// The parameters of Digest in Proxy-Authorization, without quotes, their names in lower case; `nil` for another scheme.
    public var digest: [String: String]? {
        guard let value = headers["Proxy-Authorization"], value.hasPrefix("Digest ") else { return nil }
        var found: [String: String] = [:]
        // The values of the tests hold no commas.
        for part in value.dropFirst(7).split(separator: ",") {
            guard let equals = part.firstIndex(of: "=") else { continue }
            var text = ASCIIText.trimmed(part[part.index(after: equals)...])
            if text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count > 1 {
                text = String(text.dropFirst().dropLast())
            }
            found[ASCIIText.trimmed(part[..<equals]).lowercased()] = text
        }
        return found
    }
}

/// The nonces that a proxy has given out, with the counts that it has seen.
struct ProxyNonces {
    private var used: [String: Set<String>] = [:]

    /// Returns nil to admit a request, else whether only its nonce is out of date.
    mutating func isStale(
        _ request: TestProxy.Request, _ digest: TestProxy.Digest, username: String, password: String
    ) -> Bool? {
        guard let sent = request.digest, sent["username"] == username, sent["realm"] == "test proxy",
            sent["uri"] == request.target, sent["qop"] == digest.quality,
            sent["algorithm"] == digest.algorithm.rawValue,
            let nonce = sent["nonce"], let response = sent["response"]
        else { return false }
        func hash(_ text: String) -> String {
            let bytes = Array(text.utf8)
            return switch digest.algorithm {
            case .md5: ASCIIText.hex(Array(Insecure.MD5.hash(data: bytes)))
            case .sha256: ASCIIText.hex(Array(SHA256.hash(data: bytes)))
            }
        }
        let secret = hash("\(username):test proxy:\(password)")
        var target = "\(request.method):\(request.target)"
        if digest.quality == "auth-int" { target += ":" + hash("") }
        var middle = ""
        if let quality = digest.quality { middle = ":\(sent["nc"] ?? ""):\(sent["cnonce"] ?? ""):\(quality)" }
        guard response == hash("\(secret):\(nonce)\(middle):\(hash(target))") else { return false }
        guard var counts = used[nonce], digest.nonceUses.map({ counts.count < $0 }) ?? true else { return true }
        // Without a quality, requests carry no count.
        guard counts.insert(sent["nc"] ?? "\(counts.count)").inserted else { return true }
        used[nonce] = counts
        return nil
    }

    /// The value of Proxy-Authenticate, with a new nonce.
    mutating func challenge(_ digest: TestProxy.Digest, isStale: Bool) -> String {
        let nonce = "nonce-\(used.count + 1)"
        used[nonce] = []
        var value =
            "Digest realm=\"test proxy\", nonce=\"\(nonce)\", algorithm=\(digest.algorithm.rawValue), opaque=\"o\\\"p\""
        if let quality = digest.quality { value += ", qop=\"\(quality)\"" }
        if isStale, digest.saysStale { value += ", stale=true" }
        return value
    }

    /// Forgets all nonces, as after a restart.
    mutating func forget() {
        // Renamed, so that new nonces get new numbers.
        used = Dictionary(uniqueKeysWithValues: used.keys.map { ("\($0)-forgotten", []) })
    }
}
